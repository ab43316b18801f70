"""The notebook of the examples, cell by cell, as a person runs it: twice, and each row is there once."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark.conftest import HANGS_S, SPARK_PYTHON, Lane

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "orders.ipynb"


def cells() -> list[str]:
    document = json.loads(NOTEBOOK.read_text())
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]


def run(lane: Lane, folder: Path, *, last: int) -> str:
    """Runs every cell in order, and the last one so often."""
    program = [*cells(), *[cells()[-1]] * (last - 1)]
    done = subprocess.run(
        [SPARK_PYTHON, "-c", "\n".join(program)],
        cwd=folder,
        env={
            **os.environ,
            **lane.environment.variables,
            "FIRNLINE_CONFIG": str(lane.config_file),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": SPARK_PYTHON,
        },
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_the_notebook_runs_as_it_stands_and_again_behind_new_records(
    new_lane: Callable[..., Lane], tmp_path: Path
) -> None:
    lane = new_lane(", ID NUMBER, NOTE VARCHAR")
    lane.put(*({"ID": number, "NOTE": "by hand"} for number in range(30)))
    assert "shardId-00000000000" in run(lane, tmp_path, last=2)
    lane.put(*({"ID": number, "NOTE": "by hand"} for number in range(30, 40)))
    run(lane, tmp_path, last=1)
    assert Counter((int(row[0]), row[1]) for row in lane.rows("ID, NOTE")) == Counter(
        (number, "BY HAND") for number in range(40)
    )
