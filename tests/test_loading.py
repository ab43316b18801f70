"""A person waits for no more than a command needs: by the calls of functions, and by the modules that it loads."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
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
atexit.register(lambda: print("\\n" + json.dumps(sorted(sys.modules))))
"""


@dataclass(frozen=True)
class Interpreters:
    """Interpreters with byte code of their own, one for each piece of code and question in a run."""

    byte_code: Path
    loaded: dict[str, frozenset[str]] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)

    def loaded_by(self, code: str) -> frozenset[str]:
        """Returns the modules that are there afterwards; compiles what there is no byte code of."""
        if code not in self.loaded:
            self.loaded[code] = frozenset(json.loads(self._run(TELL_LOADED + code).splitlines()[-1]))
        return self.loaded[code]

    def calls_of(self, code: str) -> int:
        """Counts calls of functions, Python's and C's: they grow as the CPU time does, and are the same on a busy machine."""
        self.loaded_by(code)
        if code not in self.calls:
            self.calls[code] = int(self._run(COUNTED + code).rpartition(" ")[2])
        return self.calls[code]

    def _run(self, code: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.byte_code)},
        ).stdout


@pytest.fixture(scope="module")
def interpreters(tmp_path_factory: pytest.TempPathFactory) -> Interpreters:
    return Interpreters(tmp_path_factory.mktemp("byte-code"))


@pytest.mark.parametrize(("code", "needed", "times"), WAITS.values(), ids=WAITS)
def test_what_a_person_waits_for_takes_few_more_calls_than_what_it_needs(
    code: str, needed: str, times: float, interpreters: Interpreters
) -> None:
    assert interpreters.calls_of(code) < times * interpreters.calls_of(needed)


@pytest.mark.parametrize("wait", [name for name in WAITS if name != "help"])
def test_what_reads_a_specification_loads_nothing_else_that_is_not_ours(wait: str, interpreters: Interpreters) -> None:
    code, needed, _ = WAITS[wait]
    loaded = interpreters.loaded_by(code) - interpreters.loaded_by(needed)
    assert {name for name in loaded if not name.startswith(("firnline_", "_"))} == set()
