from threading import Event

import pytest

from firnline_infra.audit.findings import ShardFindings
from firnline_infra.audit.workers import SHARDS_AT_ONCE, Sleep, Stopped, audit_shards


def test_findings_come_by_shard_and_each_is_announced() -> None:
    said: list[str] = []
    found = audit_shards(
        ["b", "c", "a"], lambda shard_id, _: ShardFindings(shard_id), on_shard=lambda each: said.append(each.shard_id)
    )
    assert [findings.shard_id for findings in found] == ["a", "b", "c"]
    assert sorted(said) == ["a", "b", "c"]


def test_shards_are_audited_side_by_side() -> None:
    """Each waits for the other."""
    here = {"a": Event(), "b": Event()}

    def audit(shard_id: str, _: Sleep) -> ShardFindings:
        here[shard_id].set()
        assert here["b" if shard_id == "a" else "a"].wait(10)
        return ShardFindings(shard_id)

    assert len(audit_shards(here, audit, on_shard=lambda _: None)) == 2


def test_where_one_fails_the_others_end_in_a_moment() -> None:
    ended: list[str] = []
    begun = Event()

    def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
        if shard_id == "bad":
            begun.wait(10)
            raise ValueError("because")
        begun.set()
        try:
            sleep(60)
        except Stopped:
            ended.append(shard_id)
            raise
        raise AssertionError("nobody woke it")

    with pytest.raises(ValueError, match="because"):
        audit_shards(["bad", "good"], audit, on_shard=lambda _: None)
    assert ended == ["good"]


def test_shards_whose_turn_has_not_come_are_not_begun_after_a_failure() -> None:
    begun: list[str] = []
    names = [f"{number:03d}" for number in range(10 * SHARDS_AT_ONCE)]

    def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
        begun.append(shard_id)
        if shard_id == names[0]:
            raise ValueError("because")
        sleep(60)
        return ShardFindings(shard_id)

    with pytest.raises(ValueError, match="because"):
        audit_shards(names, audit, on_shard=lambda _: None)
    assert len(begun) < len(names)


def test_a_sleep_that_nobody_disturbs_ends() -> None:
    def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
        sleep(0.0)
        return ShardFindings(shard_id)

    assert len(audit_shards(["a"], audit, on_shard=lambda _: None)) == 1
