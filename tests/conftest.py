"""What all tests share: sizes of run named as the commands of dev.py, and errors told in full."""

import os

import larkspur.one_thread  # noqa: F401  before NumPy

# isort: split
import pytest
from hypothesis import settings

os.environ["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] = "full"  # a page that fails in a test says why

settings.register_profile("check", max_examples=25, deadline=None)
settings.register_profile("test", max_examples=200, deadline=None)
settings.register_profile("full", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured (`record_property`), from whichever worker."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"measured: {name}: {value}")
