"""firnline-native and the Python that it has to equal. Skipped where the wheel is not built, but never in CI."""

import os

import pytest

from firnline_ingest.native import NativeModule, find_native


@pytest.fixture(scope="session")
def module() -> NativeModule:
    found = find_native({})
    if found.module is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{found.why_not}: scripts/native builds it")
    return found.module
