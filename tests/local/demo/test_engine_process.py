"""The engine of the demo ends when the demo does, however that ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

# It starts the engine and is then killed.
DEMO = """
import sys
from pathlib import Path
from firnline_local.demo.engine_process import EngineProcess
engine = EngineProcess(Path(sys.argv[1]), {"JAVA_HOME": sys.argv[2]}, available_now=True, log_file=Path(sys.argv[3]))
print(engine.pid, flush=True)
engine.wait(600)
"""
JAVA = "#!/bin/sh\necho $$ > {}\nexec cat\n"  # as the real one it ends when nothing more can be read
CONFIG = {
    "version": 1,
    "application": "shop",
    "aws": {"region": "eu-central-1"},
    "ledger": {"table": "shop"},
    "snowflake": {"account": "A", "user": "U", "role": "R", "private_key": {"env": "KEY"}},
    "dead_letters": {"folder": "dead-letters"},
    "spark": {"checkpoint": "checkpoint"},
    "pipelines": [{"stream": "orders", "database": "D", "schema": "S"}],
}
WITHIN_S = 120.0


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_engine_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    config, log, java = tmp_path / "engine.json", tmp_path / "engine.log", tmp_path / "bin" / "java"
    config.write_text(json.dumps(CONFIG))
    java.parent.mkdir()
    java.write_text(JAVA.format(tmp_path / "java.pid"))
    java.chmod(0o755)
    command = [sys.executable, "-c", DEMO, str(config), str(tmp_path), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as demo:
        assert demo.stdout is not None
        engine, give_up_s = int(demo.stdout.readline()), time.monotonic() + WITHIN_S
        while not (tmp_path / "java.pid").exists() or not (tmp_path / "java.pid").read_text().strip():
            assert time.monotonic() < give_up_s, log.read_text()
            time.sleep(0.05)
        started = (engine, int((tmp_path / "java.pid").read_text()))
        assert all(map(is_there, started))
        os.kill(demo.pid, signal.SIGKILL)
        while any(map(is_there, started)):
            assert time.monotonic() < give_up_s, "the engine, or its Java, goes on"
            time.sleep(0.05)
