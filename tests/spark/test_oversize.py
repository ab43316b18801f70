"""A bounded run of the whole engine ends with the rows in the table that no channel takes."""

from collections.abc import Callable

import pytest

from tests.spark.conftest import HANGS_S, Lane

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
LARGE = 3


def test_a_bounded_run_has_loaded_by_file_what_was_too_large_when_it_ends(new_lane: Callable[..., Lane]) -> None:
    lane = new_lane(columns=", N NUMBER", pipeline={"oversize_rows": "file", "max_row_bytes": 1024})
    role, place = lane.environment.logins["ingest"].role, f"{lane.table}_DEAD_LETTERS"
    for statement in (
        f"CREATE STAGE {place}",
        f"CREATE PIPE {place} AS COPY INTO {lane.table} FROM @{place} FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE",
        f"GRANT READ, WRITE ON STAGE {place} TO ROLE {role}",
        f"GRANT OPERATE, MONITOR ON PIPE {place} TO ROLE {role}",
        f"GRANT SELECT ON TABLE {lane.table} TO ROLE {role}",
    ):
        lane.environment.query(statement, login="admin")
    lane.put(*({"n": n} for n in range(50)), *({"n": n, "text": "x" * 2000} for n in range(50, 50 + LARGE)))
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(50 + LARGE, 50 + LARGE)]
    epochs = [line for line in lane.log() if line["event"] == "epoch.ended"]
    assert sum(line["replayed_rows"] for line in epochs) == LARGE
    assert sum(line["dead_letters"] for line in epochs) == LARGE
    assert not [line for line in lane.log() if line["event"] in ("oversize.failed", "oversize.incomplete")]
