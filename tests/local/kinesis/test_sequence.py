import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_local.kinesis import FakeKinesis, ManualClock
from firnline_local.kinesis.numbers import GENERATION_BITS, INDEX_BITS, SHARD_BITS, TAG_BITS, SequenceNumber

numbers = st.builds(
    SequenceNumber,
    generation=st.integers(0, 2**GENERATION_BITS - 1),
    index=st.integers(0, 2**INDEX_BITS - 1),
    stream_tag=st.integers(0, 2**TAG_BITS - 1),
    shard_number=st.integers(0, 2**SHARD_BITS - 1),
)


@given(numbers)
def test_every_number_has_56_digits_and_can_be_taken_apart_again(number: SequenceNumber) -> None:
    assert len(str(int(number))) == 56
    assert SequenceNumber.from_int(int(number)) == number


@given(numbers, numbers)
def test_numbers_are_ordered_as_their_parts_are(one: SequenceNumber, other: SequenceNumber) -> None:
    assert (int(one) < int(other)) == (one < other)


@pytest.mark.parametrize("number", [0, 1, 10**55, 10**56])
def test_a_number_that_the_service_never_gave_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not a sequence number"):
        SequenceNumber.from_int(number)


def test_numbers_grow_strictly_within_a_shard(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=50)
    given_numbers = [record.sequence_number for record in shard.records]
    assert given_numbers == sorted(set(given_numbers))
    assert len(given_numbers) == 50


def test_children_begin_above_everything_their_parents_had_even_within_one_millisecond(kinesis: FakeKinesis) -> None:
    parent = kinesis.create_stream("orders").shard(records=3)
    for child in parent.split():
        assert child.put("x").sequence_number > parent.last_position.sequence_number
        for grandchild in child.split():
            assert grandchild.put("x").sequence_number > child.last_position.sequence_number


def test_a_seed_and_a_clock_give_the_same_numbers_again() -> None:
    def run(seed: int) -> list[int]:
        orders = FakeKinesis(clock=ManualClock(), seed=seed).create_stream("orders", shards=2)
        return [orders.put("x", key=str(number)).sequence_number for number in range(5)]

    assert run(seed=1) == run(seed=1)
    assert not set(run(seed=1)) & set(run(seed=2))
