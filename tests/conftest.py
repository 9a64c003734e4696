"""Sizes of run: Hypothesis profiles named as the commands of dev.py."""

import os

from hypothesis import settings

settings.register_profile("check", max_examples=25, deadline=None)
settings.register_profile("test", max_examples=200, deadline=None)
settings.register_profile("full", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))
