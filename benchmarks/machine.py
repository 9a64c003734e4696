"""The machine that a benchmark ran on."""

import os
import platform
from pathlib import Path


def processor() -> str:
    """Return the processor's name, as its maker gives it."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def busy() -> str:
    """Return how busy the machine is with everything, in words: figures taken on a busy one are longer."""
    return f"load average {os.getloadavg()[0]:.1f} before this began"
