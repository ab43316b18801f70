"""This machine, as engines are built for it: the jobs of the embedded runtimes are processes here."""

import platform
import sys

ARCHITECTURE = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
