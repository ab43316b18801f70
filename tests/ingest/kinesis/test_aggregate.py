import hashlib
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.kinesis import aggregate
from firnline_ingest.kinesis.aggregate import UserRecords, is_aggregate, user_records
from firnline_ingest.kinesis.hash_range import HIGHEST, HashRange
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import AggregateProblem, UserRecord
from firnline_ingest.values import Position
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, MAGIC, Packed, pack, sealed

WHOLE = HashRange()
HALF = HIGHEST // 2
ONE = b'\x0a\x03key\x1a\x0c\x08\x00\x1a\x08{"n": 1}'
"""An aggregate's content as the format's description has it, byte by byte: one key, one user record."""


def parent(data: bytes, key: str = "outer", number: int = 7) -> Record:
    return Record(str(number), data, key, 1.5)


def apart(data: bytes, key: str = "outer", own_range: HashRange | None = WHOLE) -> list[UserRecord]:
    return list(user_records(parent(data, key), own_range))


def packed(count: int) -> bytes:
    return pack(Packed(b'{"n": %d}' % number, f"key {number % 3}") for number in range(count))


def test_an_aggregate_byte_by_byte() -> None:
    data = b"\xf3\x89\x9a\xc2" + ONE + hashlib.md5(ONE).digest()
    assert is_aggregate(data)
    assert apart(data) == [UserRecord("7", b'{"n": 1}', "key", 1.5, 0)]


def test_user_records_have_their_own_keys_and_count_from_zero() -> None:
    data = pack([Packed(b"1", "one"), Packed(b"2", "two", "55"), Packed(b"", "one"), Packed(b"4", "two", "0")])
    made = [(each.Data, each.PartitionKey, each.ExplicitHashKey, each.position) for each in apart(data)]
    assert made == [
        (b"1", "one", None, Position(7, 0)),
        (b"2", "two", "55", Position(7, 1)),
        (b"", "one", None, Position(7, 2)),
        (b"4", "two", "0", Position(7, 3)),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"n": 1}',
        MAGIC,
        MAGIC + b"0123456789abcdef",
        MAGIC + hashlib.md5(b"").digest(),  # nothing between magic and checksum
        MAGIC[:3] + ONE + hashlib.md5(ONE).digest(),
        MAGIC + ONE + hashlib.md5(ONE + b"!").digest(),
        MAGIC + ONE + hashlib.md5(ONE).digest()[:-1],
        MAGIC + ONE,
    ],
)
def test_what_no_checksum_bears_out_is_a_plain_record_whatever_it_begins_with(data: bytes) -> None:
    page = [parent(data)]
    assert not is_aggregate(data)
    (piece,) = UserRecords(lambda: WHOLE).pieces(page)
    (record,) = piece
    assert (record.Data, record.PartitionKey, record.position) == (data, "outer", Position(7))
    assert getattr(record, "fault", None) is None


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (ONE[:-1], "not the message"),
        (b"\xff\xff\xff", "not the message"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "not the message"),  # a number of eleven bytes
        (b"\x0a\x03key\x1a\x02\x08\x00", "no data"),
        (b"\x0a\x03key\x1a\x02\x1a\x00", "no partition key"),
        (b"\x0a\x03key\x1a\x05\x08\x01\x1a\x01x", "none of its tables"),
        (b"\x0a\x03key\x1a\x07\x08\x00\x10\x00\x1a\x01x", "none of its tables"),
        (b"\x1a\x05\x08\x00\x1a\x01x", "none of its tables"),
        (b"\x0a\x03k\xffy\x1a\x05\x08\x00\x1a\x01x", "not UTF-8"),
        (b"\x0a\xac\x02" + b"k" * 300 + b"\x1a\x05\x08\x00\x1a\x01x", "256 characters"),
        (b"\x0a\x03key", "no user record"),
    ],
)
def test_an_aggregate_that_can_not_be_taken_apart_is_one_record_with_a_fault(message: bytes, cause: str) -> None:
    (whole,) = apart(sealed(message))
    assert (whole.Data, whole.position) == (sealed(message), Position(7))
    assert whole.fault.problem is AggregateProblem.BROKEN
    assert cause in whole.fault.detail


def test_nothing_is_delivered_of_an_aggregate_whose_last_record_is_wrong() -> None:
    good = b"\x1a\x05\x08\x00\x1a\x01x"
    assert len(apart(sealed(b"\x0a\x03key" + good * 9 + b"\x1a\x05\x08\x01\x1a\x01x"))) == 1


def test_unknown_fields_and_tags_are_passed_over() -> None:
    tag = b"\x22\x08\x0a\x03key\x12\x01v"
    record = b"\x1a\x14\x08\x00\x1a\x01x" + tag + b"\x2a\x03new"
    message = b"\x0a\x03key" + b"\x22\x03new" + b"\x28\x07" + record + b"\x31" + bytes(8)
    assert [each.Data for each in apart(sealed(message))] == [b"x"]


def test_what_a_user_record_holds_is_its_own_business() -> None:
    inner = packed(2)
    assert [each.Data for each in apart(pack([Packed(inner)]))] == [inner]


# The filter on the shard's hash range


def hash_of(key: str) -> int:
    return int.from_bytes(hashlib.md5(key.encode()).digest())


LOW = next(f"k{n}" for n in range(100) if hash_of(f"k{n}") <= HALF)
HIGH = next(f"k{n}" for n in range(100) if hash_of(f"k{n}") > HALF)
MIXED = [
    Packed(b"0", LOW),
    Packed(b"1", HIGH),
    Packed(b"2", HIGH, str(HALF)),  # the explicit key counts, not the partition key
    Packed(b"3", LOW, str(HALF + 1)),
    Packed(b"4", LOW),
]


def misplaced(made: Sequence[UserRecord]) -> list[int]:
    assert all(each.fault is None or each.fault.problem is AggregateProblem.MISPLACED for each in made)
    return [each.SubSequenceNumber for each in made if each.fault]


def test_a_kpl_puts_again_what_lies_in_another_shards_range_and_only_that() -> None:
    assert misplaced(apart(pack(MIXED), KPL_PARTITION_KEY, HashRange(0, HALF))) == [1, 3]
    assert misplaced(apart(pack(MIXED), KPL_PARTITION_KEY, HashRange(HALF + 1, HIGHEST))) == [0, 2, 4]


def test_of_a_shard_with_all_hash_keys_nothing_is_misplaced() -> None:
    assert misplaced(apart(pack(MIXED), KPL_PARTITION_KEY, WHOLE)) == []


def test_other_producers_put_nothing_again_so_nothing_of_theirs_is_misplaced() -> None:
    assert misplaced(apart(pack(MIXED), "customer-7", HashRange(0, HALF))) == []


def test_a_hash_key_that_is_no_number_belongs_where_it_is() -> None:
    data = pack([Packed(b"0", HIGH, "not a number"), Packed(b"1", HIGH, "٣")])
    assert misplaced(apart(data, KPL_PARTITION_KEY, HashRange(0, 1))) == []


def test_the_range_is_asked_for_once_and_only_where_a_kpl_wrote() -> None:
    asked: list[int] = []

    def own_range() -> HashRange:
        asked.append(1)
        return HashRange(0, HALF)

    taken_apart = UserRecords(own_range)
    list(taken_apart.pieces([parent(b"{}", KPL_PARTITION_KEY), parent(packed(2), "other")]))
    assert not asked
    for _ in range(2):
        list(taken_apart.pieces([parent(packed(2), KPL_PARTITION_KEY)]))
    assert len(asked) == 1


# Pages and pieces


def places(pieces: Iterator[Sequence[Record]]) -> list[Position]:
    return [record.position for piece in pieces for record in piece]


def test_a_page_without_aggregates_is_handed_on_as_it_is() -> None:
    page = [parent(b"{}", number=number) for number in range(3)]
    (piece,) = UserRecords(lambda: WHOLE).pieces(page)
    assert piece is page


def test_switched_off_nothing_is_looked_into() -> None:
    page = [parent(packed(3))]
    (piece,) = UserRecords(lambda: WHOLE, is_on=False).pieces(page)
    assert piece is page


def test_switched_off_inside_an_aggregate_that_one_is_finished() -> None:
    page = [parent(packed(4), number=2), parent(packed(2), number=3)]

    first, rest = UserRecords(lambda: WHOLE, Position(2, 1), is_on=False).pieces(page)
    assert [record.position for record in first] == [Position(2, 2), Position(2, 3)]
    assert rest == page[1:]
    assert list(UserRecords(lambda: WHOLE, Position(2, 3), is_on=False).pieces(page)) == [page[1:]]


def test_plain_records_and_aggregates_stand_in_the_shards_order() -> None:
    page = [parent(b"{}", number=1), parent(packed(2), number=2), parent(b"{}", number=3)]
    expected = [Position(1), Position(2, 0), Position(2, 1), Position(3)]
    assert places(UserRecords(lambda: WHOLE).pieces(page)) == expected


@pytest.mark.parametrize("after", [Position(1), Position(2), Position(2, 1), Position(2, 2), Position(3)])
def test_reading_goes_on_inside_an_aggregate(after: Position) -> None:
    page = [parent(b"{}", number=1), parent(packed(3), number=2), parent(b"{}", number=3)]
    every = places(UserRecords(lambda: WHOLE).pieces(page))
    assert places(UserRecords(lambda: WHOLE, after).pieces(page)) == [place for place in every if place > after]


def test_a_plain_page_goes_on_after_the_record_that_was_taken_in() -> None:
    page = [parent(b"{}", number=number) for number in (1, 2)]
    assert places(UserRecords(lambda: WHOLE, Position(1)).pieces(page)) == [Position(2)]
    assert places(UserRecords(lambda: WHOLE, Position(1)).pieces(page[:1])) == []


@contextmanager
def bounds(**smaller: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in smaller.items():
            patch.setattr(aggregate, name, value)
        yield


def test_an_aggregate_comes_in_pieces_of_bounded_size() -> None:
    page = [parent(packed(25))]
    with bounds(PIECE_RECORDS=10):
        assert [len(piece) for piece in UserRecords(lambda: WHOLE).pieces(page)] == [10, 10, 5]
    with bounds(PIECE_BYTES=len(b'{"n": 1}' + b"key 1") * 4):
        assert [len(piece) for piece in UserRecords(lambda: WHOLE).pieces(page)] == [4] * 6 + [1]


def test_one_long_key_of_many_records_is_counted_with_each_of_them() -> None:
    page = [parent(pack(Packed(b"", "k" * 256) for _ in range(100)))]
    with bounds(PIECE_BYTES=2560):
        assert [len(piece) for piece in UserRecords(lambda: WHOLE).pieces(page)] == [10] * 10


def test_an_aggregate_of_too_many_parts_is_refused_before_anything_is_made_of_it() -> None:
    with bounds(MOST_PARTS=50):
        assert len(apart(packed(40))) == 40
        (whole,) = apart(packed(60))
        assert "more than 50 keys and user records" in whole.fault.detail
        (hidden,) = apart(sealed(b"\x28\x07" + b"\x1a\x00" * 60))
        assert hidden.fault is not None


# Anything at all

KEYS = st.text(max_size=8)
HASH_KEYS = st.none() | st.integers(0, HIGHEST).map(str)
PACKED = st.builds(Packed, st.binary(max_size=300), KEYS, HASH_KEYS)


@given(st.lists(PACKED, min_size=1, max_size=20))
def test_what_is_packed_is_unpacked(records: list[Packed]) -> None:
    made = apart(pack(records))
    assert [Packed(each.Data, each.PartitionKey, each.ExplicitHashKey) for each in made] == records
    assert [each.SubSequenceNumber for each in made] == list(range(len(records)))


@given(st.binary(max_size=200), st.booleans())
def test_no_bytes_raise_and_none_are_lost(content: bytes, is_sealed: bool) -> None:
    data = sealed(content) if is_sealed else MAGIC + content
    with bounds(MOST_PARTS=10):
        (piece,) = UserRecords(lambda: HashRange(0, HALF)).pieces([parent(data, KPL_PARTITION_KEY)])
    assert piece
    if len(piece) == 1 and isinstance(piece[0], UserRecord) and piece[0].fault:
        assert piece[0].fault.problem is AggregateProblem.MISPLACED or piece[0].Data == data


def test_no_damage_to_an_aggregate_raises() -> None:
    choice = random.Random(20)
    message = packed(5)[len(MAGIC) : -16]
    for _ in range(2000):
        bad = bytearray(message)
        for _ in range(choice.randint(1, 4)):
            bad[choice.randrange(len(bad))] = choice.randrange(256)
        made = apart(sealed(bytes(bad[: choice.randint(0, len(bad))])))
        assert made
