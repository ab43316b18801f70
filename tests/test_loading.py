"""A person waits for no more than a command needs: by the calls of functions, and by the modules that it loads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOAD = """
from pathlib import Path
from firnline_infra.specification import load_spec
spec = load_spec(Path("stacks/environments/prod.yaml"))
"""
MODELS = """
import difflib, yaml
from pydantic import BaseModel
class Model(BaseModel):
    field: int
"""
WAITS = {
    "help": (
        "import sys; sys.argv = ['firnline', '--help']; from firnline_infra.cli import main; main()",
        "import click, difflib, importlib.metadata",
        2.5,
    ),
    "a specification is loaded": (LOAD, MODELS, 2.45),
    "its blueprint is rendered": (
        LOAD + "from firnline_infra.blueprint import blueprint_of; blueprint_of(spec)",
        MODELS,
        2.75,
    ),
}
"""What a person waits for; what can't be done without, in an interpreter of its own; and how many times its calls it may take."""
COUNTED = """
import atexit, sys
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
atexit.register(lambda: print("", calls, end=""))
sys.setprofile(count)
"""

TELL_LOADED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules))))
"""


@pytest.fixture(scope="module")
def byte_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("byte-code")


def run_python(code: str, byte_code: Path) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(byte_code)},
    ).stdout


def calls_of(code: str, byte_code: Path) -> int:
    """Counts calls of functions, Python's and C's: they grow as the CPU time does, and are the same on a busy machine."""
    run_python(code, byte_code)  # compiles
    return int(run_python(COUNTED + code, byte_code).rpartition(" ")[2])


@pytest.mark.parametrize(("code", "needed", "times"), WAITS.values(), ids=WAITS)
def test_what_a_person_waits_for_takes_few_more_calls_than_what_it_needs(
    code: str, needed: str, times: float, byte_code: Path
) -> None:
    assert calls_of(code, byte_code) < times * calls_of(needed, byte_code)


@pytest.mark.parametrize("wait", [name for name in WAITS if name != "help"])
def test_what_reads_a_specification_loads_nothing_else_that_is_not_ours(wait: str, byte_code: Path) -> None:
    code, needed, _ = WAITS[wait]
    loaded, expected = (set(json.loads(run_python(TELL_LOADED + each, byte_code))) for each in (code, needed))
    foreign = {name for name in loaded - expected if not name.startswith(("firnline_", "_"))}
    assert foreign == set()
