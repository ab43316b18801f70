"""Tests of which pipe letters may go through, by what SHOW PIPES says of it."""

from collections.abc import Collection
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest.dead_letters.file_errors import FilesRefused, PipeUnusable
from firnline_ingest.dead_letters.file_pipe import AccountSnowpipe, FileTarget, load_package, pipe_created

CREATED = datetime(2026, 11, 1, tzinfo=UTC)
TARGET = FileTarget("DB", "raw", "ORDERS")
GOOD = (
    'COPY INTO "ORDERS" FROM @"DB"."raw"."ORDERS_DEAD_LETTERS" FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) '
    "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE"
)

QUOTED = GOOD.replace('@"DB"."raw"."ORDERS_DEAD_LETTERS"', """'@"DB"."raw"."ORDERS_DEAD_LETTERS"'""")


class Session:
    def __init__(self, *rows: dict[str, Any]) -> None:
        self._rows = list(rows)

    def rows(self, statement: str, empty: Collection[int] = ()) -> list[dict[str, Any]]:
        return self._rows

    def close(self) -> None: ...


def pipe(definition: str | None, name: str = "ORDERS_DEAD_LETTERS") -> Session:
    return Session({"name": name, "definition": definition, "created_on": CREATED})


def test_names_are_the_tables_with_letters_behind() -> None:
    assert TARGET.pipe == 'DB."raw".ORDERS_DEAD_LETTERS'
    assert TARGET.stage == '@"DB"."raw"."ORDERS_DEAD_LETTERS"'


@pytest.mark.parametrize(
    "definition", [GOOD, GOOD.replace(" ON_ERROR = SKIP_FILE", ""), GOOD.lower(), QUOTED, None, ""]
)
def test_a_pipe_that_loads_files_in_whole_is_taken(definition: str | None) -> None:
    assert pipe_created(pipe(definition), TARGET) == CREATED


@pytest.mark.parametrize(
    ("definition", "problem"),
    [
        (GOOD.replace("SKIP_FILE", "CONTINUE"), "ON_ERROR = CONTINUE"),
        (GOOD.replace("SKIP_FILE", "'SKIP_FILE_10%'"), "ON_ERROR = SKIP_FILE_10%"),
        (GOOD.replace("BASE64", "HEX"), "BINARY_FORMAT"),
        (GOOD.replace(" MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE", ""), "MATCH_BY_COLUMN_NAME"),
        (GOOD.replace("FROM @", "FROM TABLE "), "a stage"),
    ],
)
def test_any_other_is_refused_before_anything_is_staged(definition: str, problem: str) -> None:
    with pytest.raises(PipeUnusable, match=problem):
        pipe_created(pipe(definition), TARGET)


@pytest.mark.parametrize("session", [Session(), pipe(GOOD, name="orders_letters")])
def test_a_pipe_that_is_not_there_is_told(session: Session) -> None:
    with pytest.raises(PipeUnusable, match="does not exist"):
        pipe_created(session, TARGET)


@pytest.mark.parametrize(("status", "step"), [(400, "report this message"), (401, "OPERATE and MONITOR")])
def test_a_malformed_request_is_a_defect_and_no_missing_right(status: int, step: str) -> None:
    """Answered by the package's own error, of a response as `requests` gives it."""
    load_package()
    import requests
    from snowflake.ingest.error import IngestResponseError

    def refuse(_: object) -> None:
        response = requests.Response()
        response.status_code, response.reason = status, "refused"
        response._content = b"{}"
        raise IngestResponseError(response)

    snowpipe = AccountSnowpipe(TARGET, pipe(GOOD), SimpleNamespace(ingest_files=refuse))
    with pytest.raises(FilesRefused, match=str(status)) as raised:
        snowpipe.submit("a/1-2.json.gz", 10)
    assert step in raised.value.next_step
