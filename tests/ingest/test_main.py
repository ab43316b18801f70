"""The program's own ends, as a process: told to end before it has begun, it leaves no trace."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SLOW_CONFIG = "import time; print('here', flush=True); time.sleep(60)"


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_program_still_imports_leaves_no_trace(ending: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text(SLOW_CONFIG)  # stands for an import that takes its time
    command = [sys.executable, "-m", "firnline_ingest", "run", "--config", "engine.json"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(ending)
        _, said = process.communicate(timeout=60)
    assert said == ""
    assert process.returncode in (128 + ending, -ending)


def test_what_spark_submit_runs_hides_nobodys_packages(tmp_path: Path) -> None:
    """Python puts the folder of the file that it runs in front of all others; ours has a `snowflake` in it."""
    import firnline_ingest.__main__ as program

    folder = Path(program.__file__).parent
    script = (
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(folder)!r})\n"
        f"sys.argv = ['firnline', '--help']\n"
        "try:\n"
        f"    runpy.run_path({str(folder / '__main__.py')!r}, run_name='__main__')\n"
        "except SystemExit:\n"
        "    pass\n"
        "import snowflake.connector\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr
