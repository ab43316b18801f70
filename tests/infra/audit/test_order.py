from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.order import NOT_LOGGED, LoggedCommit, Order, check_order
from firnline_ingest.identifiers import channel_name
from firnline_ingest.values import Position

SHARD, OTHER = "shardId-000000000000", "shardId-000000000001"


def commit(
    start: int | None, end: int, shard: str = SHARD, *, application: str = "app", **changes: object
) -> LoggedCommit:
    values: dict[str, object] = {
        "channel": channel_name(application, "orders", 7, shard),
        "start_offset_token": None if start is None else Position(start).token,
        "end_offset_token": Position(end).token,
        "rows_inserted": 10,
        **changes,
    }
    return LoggedCommit(**values)


def checked(*commits: LoggedCommit, rows: int = 0) -> tuple[Order, dict[str, ShardFindings]]:
    shards = {shard: ShardFindings(shard) for shard in (SHARD, OTHER)}
    shards[SHARD].counts.rows = rows
    return check_order(commits, stream="orders", created_ms=7, shards=shards), shards


def misplaced(shards: dict[str, ShardFindings]) -> list[tuple[str, str]]:
    return [
        (problem.shard_id, problem.position)
        for findings in shards.values()
        for problem in findings.problems
        if problem.kind is ProblemKind.MISPLACED
    ]


def test_commits_that_go_forward_in_each_shard_are_in_order() -> None:
    order, shards = checked(commit(1, 10), commit(1, 5, OTHER), commit(11, 20), commit(6, 6, OTHER))
    assert (order, misplaced(shards)) == (Order(commits=4, rows=40), [])
    assert order.is_proven


def test_a_commit_that_begins_before_the_end_of_the_last_one_is_misplaced() -> None:
    _, shards = checked(commit(1, 10), commit(10, 20))
    assert misplaced(shards) == [(SHARD, "10")]


def test_a_commit_that_goes_back_is_misplaced() -> None:
    _, shards = checked(commit(11, 20), commit(1, 10))
    assert misplaced(shards) == [(SHARD, "1")]


def test_a_commit_that_ends_before_it_begins_is_misplaced() -> None:
    _, shards = checked(commit(10, 9))
    assert misplaced(shards) == [(SHARD, "10")]


def test_tokens_are_compared_as_numbers() -> None:
    _, shards = checked(commit(1, 9), commit(10, 99), commit(100, 100))
    assert misplaced(shards) == []


def test_two_applications_that_write_one_shard_are_one_order() -> None:
    _, shards = checked(commit(1, 10), commit(5, 8, application="other"))
    assert misplaced(shards) == [(SHARD, "5")]


def test_a_commit_that_names_no_start_is_known_by_its_end() -> None:
    _, shards = checked(commit(None, 10), commit(11, 12))
    assert misplaced(shards) == []


def test_channels_of_other_streams_and_programs_are_left_out() -> None:
    order, _ = checked(
        commit(1, 2, channel=channel_name("app", "other", 7, SHARD)),
        commit(1, 2, channel=channel_name("app", "orders", 8, SHARD)),
        commit(1, 2, channel="c1"),
    )
    assert (order.commits, order.is_proven) == (0, True)


def test_tokens_of_another_program_in_our_channel_are_said() -> None:
    order, _ = checked(commit(1, 2, end_offset_token="42"), commit(1, 2, end_offset_token=None))
    assert not order.is_proven
    assert order.problems == ["channel APP~ORDERS~7~SHARDID-000000000000 has tokens of another program"]


def test_without_a_log_there_is_no_order_to_prove() -> None:
    assert check_order(None, stream="orders", created_ms=7, shards={}).problems == [NOT_LOGGED]


def test_a_log_that_forgot_its_beginning_proves_a_part() -> None:
    order, _ = checked(commit(1, 2, entry=7), commit(3, 4, entry=8))
    assert not order.is_proven
    assert order.problems == ["the log has forgotten the first 7 commits; the others were compared"]


def test_rows_that_came_without_a_commit_have_no_order() -> None:
    order, _ = checked(commit(1, 2), rows=12)
    assert order.problems == ["2 rows came through no logged commit"]
