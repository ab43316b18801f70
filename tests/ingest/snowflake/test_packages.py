"""Whichever of Snowflake's two packages was installed last, the streaming SDK and the package for files can both be imported."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

THEIRS = "from .simple_ingest_manager import SimpleIngestManager, StagedFile\n"
LOADS = """
import sys; sys.path.insert(0, sys.argv[1])
from firnline_ingest.snowflake.packages import make_importable
make_importable()
from snowflake.ingest.streaming import StreamingIngestClient
from firnline_ingest.dead_letters.file_pipe import load_package
load_package()
from snowflake.ingest.simple_ingest_manager import SimpleIngestManager
import snowflake.ingest
print(snowflake.ingest.__file__)
"""


@pytest.mark.parametrize("init", ["", THEIRS], ids=["snowpipe-streaming", "snowflake-ingest"])
def test_both_can_be_imported_whichever_came_last(tmp_path: Path, init: str) -> None:
    installed = Path(str(distribution("snowpipe-streaming").locate_file("snowflake/ingest")))
    folder = tmp_path / "snowflake" / "ingest"
    folder.mkdir(parents=True)
    for each in installed.iterdir():
        if each.name not in ("__init__.py", "__pycache__"):
            (folder / each.name).symlink_to(each)
    (folder / "__init__.py").write_text(init)
    (folder.parent / "__init__.py").write_text("__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n")
    command = [sys.executable, "-c", LOADS, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == str(folder / "__init__.py")
