"""Loading by file, with the connector and snowflake-ingest, against the embedded Snowflake."""

import time
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from firnline_ingest.dead_letters.file_errors import FilesNotStaged, FilesRefused
from firnline_ingest.dead_letters.file_load import FileLoads, Loading
from firnline_ingest.dead_letters.file_pipe import AccountSnowpipe, FileTarget, pipe_created
from firnline_ingest.snowflake.errors import StatementRefused

pytestmark = [
    pytest.mark.contract,
    # The package asks datetime.utcnow (1.0.13), which Python 3.12 is to lose.
    pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning"),
]
World = Any  # of conftest.py
TARGET = FileTarget("FILES", "PUBLIC", "ORDERS")
PATH = "orders/1700000000000/shardId-000000000000/1-42.json.gz"
ROWS = [b'{"KINESISMETADATA":{"sequenceNumber":"1"},"ID":1}', b'{"ID":2,"BODY":{"x":"' + b"y" * 3_000_000 + b'"}}']


class Session:
    """Like SqlSession, on the test's connection."""

    def __init__(self, world: World) -> None:
        self._world = world

    def rows(self, statement: str, empty: Collection[int] = ()) -> list[dict[str, Any]]:
        from snowflake.connector.errors import ProgrammingError

        try:
            return self._world.rows(statement)  # type: ignore[no-any-return] # of conftest.py
        except ProgrammingError as error:
            raise StatementRefused(f"answer {statement!r}", str(error)) from error

    def close(self) -> None: ...


def loads(world: World, user: str = "FIRNLINE_ADMIN", **changed: Any) -> FileLoads:
    world.server.files.settings.scans_per_minute = 10_000
    snowpipe = AccountSnowpipe(TARGET, Session(world), world.manager(user, pipe=TARGET.pipe))
    return FileLoads(snowpipe, sleep=lambda _: time.sleep(0.02), **changed)


@pytest.fixture
def world(world: World) -> World:
    """Stage and pipe with the names that a replay looks for."""
    world.rows("CREATE OR REPLACE STAGE FILES.PUBLIC.ORDERS_DEAD_LETTERS")
    world.rows(
        "CREATE OR REPLACE PIPE FILES.PUBLIC.ORDERS_DEAD_LETTERS AS COPY INTO FILES.PUBLIC.ORDERS "
        "FROM @FILES.PUBLIC.ORDERS_DEAD_LETTERS FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE"
    )
    return world


def begun() -> datetime:
    return datetime.now(UTC) - timedelta(minutes=1)


def test_rows_that_no_channel_takes_are_loaded_once_however_often_it_is_asked(world: World) -> None:
    assert pipe_created(Session(world), TARGET) <= datetime.now(UTC)
    for _ in range(2):
        load = loads(world).load(PATH, ROWS, begun=begun())
        assert (load.status, load.rows) == (Loading.LOADED, 2)
    assert world.count() == 2
    assert world.rows("LIST @FILES.PUBLIC.ORDERS_DEAD_LETTERS") == []
    assert world.rows("SELECT LENGTH(BODY:x::VARCHAR) AS N FROM FILES.PUBLIC.ORDERS WHERE ID = 2") == [{"n": 3_000_000}]


def test_rows_that_the_table_refuses_are_told_and_none_is_in(world: World) -> None:
    load = loads(world).load(PATH, [b'{"ID":1}', b'{"ID":"no number"}'], begun=begun())
    assert load.status is Loading.FAILED
    assert "no number" in load.message
    assert world.count() == 0


def test_where_the_report_has_forgotten_the_histories_tell(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_local.snowflake.files.calls.REPORT_MEMORY", timedelta(0))
    for scans in (10_000, 0):
        load = loads(world)
        world.server.files.settings.scans_per_minute = scans
        assert load.load(f"{scans}/{PATH}", ROWS, begun=begun()).status is Loading.LOADED


def test_a_right_that_is_missing_is_told_and_nothing_is_in(world: World) -> None:
    world.loader(["USAGE ON DATABASE FILES", "USAGE ON SCHEMA PUBLIC"])
    with pytest.raises(FilesRefused, match=r"insertFiles of the pipe FILES\.PUBLIC\.ORDERS_DEAD_LETTERS"):
        loads(world, "LOADER").load(PATH, ROWS, begun=begun())
    assert world.count() == 0


def test_a_stage_that_is_not_there_is_told(world: World) -> None:
    world.rows("DROP STAGE FILES.PUBLIC.ORDERS_DEAD_LETTERS")
    with pytest.raises(FilesNotStaged, match="ORDERS_DEAD_LETTERS"):
        loads(world).load(PATH, ROWS, begun=begun())
