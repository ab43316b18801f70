"""Tests of what every store that can be read does alike: a folder of this machine, and one in S3."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firnline_ingest.dead_letters import DeadLetterStore, LocalFolder
from firnline_ingest.dead_letters.errors import UnknownDeadLetter
from firnline_ingest.values import ShardKey
from tests.contract.dead_letters.conftest import BUCKETS, bucket_of
from tests.contract.dead_letters.letters import FIRST, SHARD, letter, letters

pytestmark = pytest.mark.contract

Stores = Callable[[str], DeadLetterStore]
"""A store by its name; two of one name share what they keep."""


@pytest.fixture(params=["folder", *BUCKETS])
def store_of(request: pytest.FixtureRequest, tmp_path: Path) -> Stores:
    if request.param == "folder":
        return lambda name: LocalFolder(tmp_path / name)
    bucket = bucket_of(request.param, request)
    return lambda name: bucket.folder(f"{name}/")


def test_what_is_put_can_be_got_and_listed(store_of: Stores) -> None:
    one, other = letter(FIRST, data=bytes(range(256))), letter(FIRST + 1, data=b"")
    assert store_of("a").put([one, other]) == 2
    assert store_of("a").get(one.key) == one
    assert store_of("a").get(other.key).data == b""
    assert list(store_of("a").list()) == [one, other]


def test_the_list_is_by_stream_shard_and_position_as_numbers(store_of: Stores) -> None:
    other = ShardKey("orders", 1_700_000_000_000, "shardId-000000000001")
    longer = ShardKey("orders-2", 1_600_000_000_000, "shardId-000000000009")
    order = [letter(9), letter(10), letter(100), letter(FIRST), letter(2, shard=other), letter(5, shard=longer)]
    for each in order[::-1]:
        store_of("a").put([each])
    assert list(store_of("a").list()) == order


def test_incarnations_of_a_stream_are_kept_apart(store_of: Stores) -> None:
    again = ShardKey("orders", 1_800_000_000_000, SHARD.shard_id)
    assert store_of("a").put([letter(1), letter(1, shard=again)]) == 2
    assert len(list(store_of("a").list())) == 2


def test_putting_again_writes_nothing(store_of: Stores) -> None:
    store_of("a").put(letters(3))
    assert store_of("a").put(letters(3)) == 0
    assert list(store_of("a").list()) == letters(3)


def test_a_letter_that_a_later_version_explains_otherwise_stays_as_it_was(store_of: Stores) -> None:
    store_of("a").put([letter(FIRST, detail="the first words")])
    assert store_of("a").put([letter(FIRST, detail="better words")]) == 0
    assert store_of("a").get(letter(FIRST).key).detail == "the first words"


def test_one_key_twice_in_a_page_is_one_letter(store_of: Stores) -> None:
    assert store_of("a").put([letter(1), letter(1)]) == 1


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, 12), max_size=4), order=st.randoms(use_true_random=False))
def test_however_a_restart_cuts_its_pages_each_letter_is_there_once(
    store_of: Stores, cuts: list[int], order: object
) -> None:
    name, written = f"cut{'-'.join(map(str, sorted(cuts)))}x{id(order)}", letters(12)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), 12], strict=True):
        store_of(name).put(written[max(0, start - 3) : end])
    assert list(store_of(name).list()) == written
    assert [store_of(name).get(each.key) for each in written] == written


def test_an_empty_store_lists_nothing_and_knows_no_letter(store_of: Stores) -> None:
    assert list(store_of("empty").list()) == []
    with pytest.raises(UnknownDeadLetter, match="dead-letters list shows the keys"):
        store_of("empty").get(letter(1).key)


def test_a_letter_between_two_others_that_are_kept_is_unknown(store_of: Stores) -> None:
    store_of("a").put([letter(1), letter(3)])
    with pytest.raises(UnknownDeadLetter):
        store_of("a").get(letter(2).key)


@pytest.mark.parametrize("name", ["..", ".", "a/../../b", "a b", "%2E", "ä"])
def test_no_name_leads_out_of_the_store(store_of: Stores, name: str) -> None:
    for shard in (ShardKey(name, 1, "shardId-0"), ShardKey("orders", 1, name)):
        odd = letter(1, shard=shard)
        store_of("a").put([odd])
        assert store_of("a").get(odd.key) == odd
    assert list(store_of("b").list()) == []
