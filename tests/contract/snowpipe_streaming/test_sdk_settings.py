"""Settings that the SDK takes from its environment; its runtime starts once a process, so each test has one of its own."""

import os
import subprocess
import sys

import pytest

from firnline_ingest.snowflake.sdk import MEMORY_LOOKS, MEMORY_LOOKS_MS

pytestmark = pytest.mark.contract

LOAD = """
from types import SimpleNamespace
from firnline_ingest.snowflake.sdk import load_sdk
load_sdk(SimpleNamespace(ca_file=None))
"""


def said_at_its_start(**environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != MEMORY_LOOKS}
    telling = inherited | {"SS_LOG_LEVEL": "info"} | environment
    ran = subprocess.run([sys.executable, "-c", LOAD], env=telling, capture_output=True, text=True, check=True)
    return ran.stdout


def test_it_looks_at_its_memory_once_a_second_and_not_twenty_times() -> None:
    assert f"refresh duration: {MEMORY_LOOKS_MS} ms" in said_at_its_start()


def test_how_often_it_looks_may_be_set_by_the_environment() -> None:
    assert "refresh duration: 70 ms" in said_at_its_start(**{MEMORY_LOOKS: "70"})
