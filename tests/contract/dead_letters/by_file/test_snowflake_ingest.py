"""The real snowflake-ingest and the connector's PUT, over TLS, against the embedded Snowflake."""

import time
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.dead_letters.file_pipe import load_package
from firnline_local.faults import Fault, FaultKind

pytestmark = [
    pytest.mark.contract,
    # The package asks datetime.utcnow (1.0.13), which Python 3.12 is to lose.
    pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning"),
]
World = Any  # of conftest.py


def staged(world: World, tmp_path: Path, name: str, *rows: str) -> Any:
    from snowflake.ingest.simple_ingest_manager import StagedFile

    (tmp_path / name).write_text("".join(f"{row}\n" for row in rows))
    (told,) = world.put(tmp_path / name, "a/b")
    assert told["status"] == "UPLOADED"
    return StagedFile(f"a/b/{told['target']}", (tmp_path / name).stat().st_size)


def history(world: World, manager: Any, count: int) -> list[dict[str, Any]]:
    """Returns the history of a pipe that has `count` entries, as soon as it has them."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        files: list[dict[str, Any]] = manager.get_history_range("2026-01-01T00:00:00Z")["files"]
        if len(files) >= count:
            return files
        time.sleep(0.02)
    raise AssertionError(files)


@pytest.fixture(autouse=True)
def _many_scans(world: World) -> None:
    world.server.files.settings.scans_per_minute = 10_000
    load_package()


def test_a_file_that_is_put_and_submitted_is_in_the_table(world: World, tmp_path: Path) -> None:
    file = staged(world, tmp_path, "one.json", '{"id": 1, "body": {"x": [1]}}', '{"id": 2}')
    manager = world.manager()
    assert manager.ingest_files([file])["status"] == "success"
    (load,) = history(world, manager, 1)
    assert (load["path"], load["status"], load["rowsInserted"], load["complete"]) == (file.path, "LOADED", 2, True)
    assert world.count() == 2
    assert manager.get_history()["files"] == [load]
    assert manager.get_history()["files"] == []  # by its mark


def test_a_stage_that_encrypts_on_the_server_alone_takes_the_file_as_it_is(world: World, tmp_path: Path) -> None:
    world.rows("CREATE OR REPLACE STAGE FILES.PUBLIC.LETTERS ENCRYPTION = (TYPE = 'SNOWFLAKE_SSE')")
    world.make_pipe()
    manager = world.manager()
    manager.ingest_files([staged(world, tmp_path, "one.json", '{"id": 1}')])
    assert history(world, manager, 1)[0]["status"] == "LOADED"


def test_a_name_is_loaded_once_whatever_the_file_holds_later(world: World, tmp_path: Path) -> None:
    manager = world.manager()
    manager.ingest_files([staged(world, tmp_path, "one.json", '{"id": 1}')])
    history(world, manager, 1)
    again = staged(world, tmp_path, "one.json", '{"id": 1}', '{"id": 2}')
    other = staged(world, tmp_path, "two.json", '{"id": 3}')
    manager.ingest_files([again, other])
    assert [load["path"] for load in history(world, manager, 2)] == [again.path, other.path]
    assert world.count() == 2


def test_a_file_with_one_bad_row_is_loaded_in_no_part(world: World, tmp_path: Path) -> None:
    manager = world.manager()
    manager.ingest_files([staged(world, tmp_path, "one.json", '{"id": 1}', '{"id": "two"}')])
    (load,) = history(world, manager, 1)
    assert (load["status"], load["rowsInserted"], load["rowsParsed"], load["errorsSeen"]) == ("LOAD_FAILED", 0, 2, 1)
    assert (load["firstErrorLineNum"], load["firstErrorColumnName"]) == (2, "ID")
    assert world.count() == 0


def test_copy_history_says_the_same(world: World, tmp_path: Path) -> None:
    manager = world.manager()
    file = staged(world, tmp_path, "one.json", '{"id": 1}')
    manager.ingest_files([file])
    (load,) = history(world, manager, 1)
    (row,) = world.rows(
        "SELECT FILE_NAME, STATUS, ROW_COUNT, PIPE_NAME FROM TABLE(FILES.INFORMATION_SCHEMA.COPY_HISTORY("
        f"TABLE_NAME => 'FILES.PUBLIC.ORDERS', START_TIME => '{load['timeReceived']}'::TIMESTAMP_LTZ))"
    )
    assert row == {"file_name": file.path, "status": "Loaded", "row_count": 1, "pipe_name": "LETTERS"}


@pytest.mark.parametrize(
    ("user", "pipe", "status"),
    [
        ("NOBODY", "FILES.PUBLIC.LETTERS", 401),
        ("FIRNLINE_ADMIN", "FILES.PUBLIC.OTHER", 404),
        ("FIRNLINE_ADMIN", "files.public.letters", 404),
    ],
)
def test_who_is_unknown_and_what_is_unknown_is_refused(world: World, user: str, pipe: str, status: int) -> None:
    from snowflake.ingest.error import IngestResponseError

    with pytest.raises(IngestResponseError) as refused:
        world.manager(user, pipe).ingest_files([])
    assert refused.value.http_error_code == status
    assert refused.value.success is False


def test_too_many_scans_are_429_which_the_package_does_not_repeat(world: World) -> None:
    from snowflake.ingest.error import IngestResponseError

    world.server.files.settings.scans_per_minute = 0
    with pytest.raises(IngestResponseError, match="429"):
        world.manager().get_history_range("2026-01-01T00:00:00Z")


def test_too_many_files_at_once_and_a_path_that_is_too_long_are_refused(world: World) -> None:
    from snowflake.ingest.error import IngestResponseError
    from snowflake.ingest.simple_ingest_manager import StagedFile

    for files in ([StagedFile("x", None)] * 5_001, [StagedFile("x" * 1_025, None)]):
        with pytest.raises(IngestResponseError, match="400"):
            world.manager().ingest_files(files)


def test_an_answer_that_is_lost_is_asked_for_again_and_changes_nothing(world: World, tmp_path: Path) -> None:
    manager = world.manager()
    world.server.faults.replace([Fault(endpoint="snowflake:insertFiles", kind=FaultKind.LOST, times=1)])
    manager.ingest_files([staged(world, tmp_path, "one.json", '{"id": 1}')])
    other = staged(world, tmp_path, "two.json", '{"id": 2}')
    manager.ingest_files([other])
    assert [load["path"] for load in history(world, manager, 2)] == ["a/b/one.json.gz", other.path]
    assert world.count() == 2


NEEDED = {
    "insertFiles": (
        "OPERATE ON PIPE LETTERS",
        "READ ON STAGE LETTERS",
        "INSERT ON TABLE ORDERS",
        "SELECT ON TABLE ORDERS",
    ),
    "insertReport": (
        "MONITOR ON PIPE LETTERS",
        "READ ON STAGE LETTERS",
        "INSERT ON TABLE ORDERS",
        "SELECT ON TABLE ORDERS",
    ),
}
CONTAINERS = ("USAGE ON DATABASE FILES", "USAGE ON SCHEMA PUBLIC")


@pytest.mark.parametrize(
    ("call", "missing"), [(call, one) for call in NEEDED for one in (None, *NEEDED[call], *CONTAINERS)]
)
def test_the_default_role_of_the_user_needs_each_right(world: World, call: str, missing: str | None) -> None:
    from snowflake.ingest.error import IngestResponseError

    granted = [one for one in (*NEEDED[call], *CONTAINERS) if one != missing]
    world.loader(granted)
    manager = world.manager("LOADER")
    ask = (lambda: manager.ingest_files([])) if call == "insertFiles" else manager.get_history
    if missing is None:
        assert ask()
        return
    with pytest.raises(IngestResponseError, match="404"):
        ask()
