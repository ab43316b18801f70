"""The fault plan against the real SDK: what it survives, and what it tells its user about."""

from typing import Any

import pytest

World = Any  # of conftest.py

pytestmark = pytest.mark.contract

PASSING = [
    {"kind": "ERROR", "status": 429},
    {"kind": "ERROR", "status": 500},
    {"kind": "ERROR", "status": 503},
    {"kind": "CUT"},
    {"kind": "SLOW", "delay_s": 0.2},
    {"kind": "LOST"},
]
BEFORE_OPENING = ["hostname", "token", "pipe-info", "open"]


def name(fault: dict[str, Any]) -> str:
    return f"{fault['kind']} {fault.get('status', '')}".strip()


@pytest.mark.parametrize("endpoint", BEFORE_OPENING)
@pytest.mark.parametrize("fault", PASSING, ids=name)
def test_what_passes_does_not_keep_a_client_from_opening(world: World, endpoint: str, fault: dict[str, Any]) -> None:
    world.table()
    world.fail(endpoint, times=1, **fault)
    _, status = world.client().open_channel("c")

    assert status.status_code == "SUCCESS"
    assert world.snowflake.faults.hits == {f"snowflake:{endpoint}": 1}


@pytest.mark.parametrize("fault", PASSING, ids=name)
def test_what_passes_neither_loses_nor_doubles_a_row(world: World, fault: dict[str, Any]) -> None:
    table = world.table()
    channel, _ = world.client().open_channel("c")
    world.fail("append", every=2, **fault)
    for number in range(6):
        channel.append_row({"id": number}, str(number))
        channel.wait_for_flush(20)
    world.wait_for_commit(channel, "5")

    assert world.rows(table) == [(number,) for number in range(6)]
    assert world.snowflake.faults.hits["snowflake:append"] >= 3
    assert channel.get_channel_status().rows_inserted_count == 6


def test_an_append_whose_answers_are_lost_again_and_again_is_applied_once(world: World) -> None:
    table = world.table()
    channel, _ = world.client().open_channel("c")
    repeated = world.snowflake.streaming.counts.repeated_appends
    world.fail("append", "LOST", times=3)
    channel.append_row({"id": 1}, "1")
    channel.wait_for_flush(20)
    world.wait_for_commit(channel, "1")

    assert world.rows(table) == [(1,)]
    assert world.snowflake.streaming.counts.repeated_appends == repeated + 3


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "STALE_CONTINUATION_TOKEN_SEQUENCER"), (409, "ERR_CHANNEL_MUST_BE_REOPENED"), (413, "ERR_X")],
)
def test_a_channel_that_the_service_gave_up_has_to_be_opened_again(world: World, status: int, code: str) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    table = world.table()
    client = world.client()
    channel, _ = client.open_channel("c")
    world.fail("append", "ERROR", status=status, code=code, times=1)
    channel.append_row({"id": 1}, "1")

    with pytest.raises(StreamingIngestError, match=f"HTTP {status}, error_code={code}") as refused:
        channel.wait_for_flush(20)
    assert refused.value.error_code.value == "InvalidChannelError"
    channel.close()
    channel, _ = client.open_channel("c")
    channel.append_row({"id": 1}, "1")
    world.wait_for_commit(channel, "1")
    assert world.rows(table) == [(1,)]


def test_a_pipe_that_failed_over_invalidates_the_whole_client(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    world.table()
    client = world.client()
    channel, _ = client.open_channel("c")
    world.fail("append", "ERROR", status=410, code="ERR_PIPE_FAILED_OVER", times=1)
    channel.append_row({"id": 1}, "1")

    with pytest.raises(StreamingIngestError, match="HTTP 410"):
        channel.wait_for_flush(20)

    def is_invalid() -> bool:  # it hears of it a moment after its channel
        try:
            client.get_channel_statuses(["c"])
        except StreamingIngestError as error:
            return error.error_code.value == "InvalidClientError"
        return False

    world.wait_until(is_invalid)


def test_an_expired_scoped_token_is_exchanged_for_a_new_one(world: World) -> None:
    table = world.table()
    channel, _ = world.client().open_channel("c")
    world.fail("append", "ERROR", status=401, code="390318", times=1)
    channel.append_row({"id": 1}, "1")
    world.wait_for_commit(channel, "1")

    assert world.rows(table) == [(1,)]


def test_a_conflict_on_opening_is_waited_out(world: World) -> None:
    world.table()
    world.fail("open", "ERROR", status=409, code="ERR_OPEN_CHANNEL_IN_PROGRESS", times=1)
    _, status = world.client(open_channel_409_retry_total_backoff_seconds=10).open_channel("c")

    assert status.status_code == "SUCCESS"


@pytest.mark.parametrize("fault", PASSING, ids=name)
def test_what_passes_does_not_keep_a_status_from_its_user(world: World, fault: dict[str, Any]) -> None:
    world.table()
    channel, _ = world.client().open_channel("c")
    world.fail("status", times=1, **fault)

    assert channel.get_channel_status().status_code == "SUCCESS"


@pytest.mark.parametrize("fault", [fault for fault in PASSING if fault["kind"] != "LOST"], ids=name)
def test_what_passes_does_not_keep_a_channel_from_being_dropped(world: World, fault: dict[str, Any]) -> None:
    table = world.table()
    client = world.client()
    client.open_channel("c")[0].close()
    world.fail("drop", times=1, **fault)
    client.drop_channel("c")

    assert (table.default_pipe.id, "C") not in world.catalog.channels


def test_a_drop_whose_answer_is_lost_is_repeated_and_finds_nothing_left(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    table = world.table()
    client = world.client()
    client.open_channel("c")[0].close()
    world.fail("drop", "LOST", times=1)

    with pytest.raises(StreamingIngestError, match="HTTP 404"):
        client.drop_channel("c")
    assert (table.default_pipe.id, "C") not in world.catalog.channels
