"""Streams and tables of a test's own in the shared environment, and the engine as a process on them."""

import json
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from firnline_local.demo.engine_process import EngineProcess
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active

HANGS_S = 900
"""Ends what hangs, as the limit of a test. Nothing is measured by it: how long a start takes is the machine's matter."""
SPARK_PYTHON = os.environ.get("FIRNLINE_SPARK_PYTHON", sys.executable)
"""Runs the programs of Spark's users, and the engine: `FIRNLINE_SPARK_PYTHON` may have another Spark (scripts/other-spark)."""
TABLE_DDL = "CREATE TABLE {} (KINESISMETADATA OBJECT{}) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE"


def until(condition: Callable[[], Any], engine: EngineProcess) -> Any:
    """Returns what it finds, which an engine that has ended will not bring about any more."""
    while not (found := condition()):
        assert engine.exit_status is None, list(engine.last_lines)
        time.sleep(0.2)
    return found


@dataclass
class Lane:
    """One stream into one table, and a folder for what the engine writes."""

    environment: RunningEnvironment
    folder: Path
    name: str
    columns: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    _session: Any = None

    def __post_init__(self) -> None:
        role = self.environment.logins["ingest"].role
        reader = self.environment.logins["reader"].role
        self.table = f"FIRNLINE.RAW.{self.name.upper()}"
        self.create_stream()
        for statement in (
            TABLE_DDL.format(self.table, self.columns),
            f"GRANT INSERT, EVOLVE SCHEMA ON TABLE {self.table} TO ROLE {role}",
            f"GRANT SELECT, SELECT ERROR TABLE ON TABLE {self.table} TO ROLE {reader}",
        ):
            self.environment.query(statement, login="admin")
        self.config_file = self.folder / "engine.json"
        self.config_file.write_text(json.dumps(self.document()))

    def create_stream(self) -> None:
        made_active(self.environment.client("kinesis"), self.name, shards=2)

    def document(self) -> dict[str, Any]:
        document = self.environment.engine_config(
            dead_letters={"folder": str(self.folder / "dead-letters")},
            spark={"checkpoint": str(self.folder / "checkpoint"), "master": "local[2]"},
            epoch={"seconds": 10, "progress_seconds": 0.5},
        )
        pipeline = {**document["pipelines"][0], "stream": self.name, "table": self.name}
        document |= {"application": self.name, "pipelines": [{**pipeline, **self.changes.pop("pipeline", {})}]}
        for section, values in self.changes.items():
            document[section] = {**document.get(section, {}), **values}
        return document

    def put(self, *events: Any, spread: int = 64) -> None:
        records = [
            {"Data": event if isinstance(event, bytes) else json.dumps(event).encode(), "PartitionKey": str(n % spread)}
            for n, event in enumerate(events)
        ]
        for first in range(0, len(records), 500):
            answer = self.environment.client("kinesis").put_records(
                StreamName=self.name, Records=records[first : first + 500]
            )
            assert answer["FailedRecordCount"] == 0

    def rows(self, what: str = "COUNT(*)") -> list[tuple[Any, ...]]:
        """Asked again and again while an engine runs: a session for each would take a core from it."""
        if self._session is None:
            self._session = self.environment.connect("reader")
        with closing(self._session.cursor()) as cursor:
            return [tuple(row) for row in cursor.execute(f"SELECT {what} FROM {self.table}").fetchall()]

    def close(self) -> None:
        if self._session is not None:
            self._session.close()

    def engine(self, *, available_now: bool, until: datetime | None = None) -> EngineProcess:
        return EngineProcess(
            self.config_file,
            self.environment.variables,
            available_now=available_now,
            log_file=self.folder / "engine.log",
            until=until,
            python=SPARK_PYTHON,
        )

    def log(self) -> list[dict[str, Any]]:
        lines = (self.folder / "engine.log").read_text(errors="replace").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


@pytest.fixture
def new_lane(local_environment: RunningEnvironment, tmp_path: Path) -> Iterator[Callable[..., Lane]]:
    with ExitStack() as ends:

        def make(columns: str = "", **changes: Any) -> Lane:
            lane = Lane(local_environment, tmp_path, f"s{uuid.uuid4().hex[:8]}", columns, changes)
            ends.callback(lane.close)
            return lane

        yield make
