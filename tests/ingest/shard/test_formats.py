"""Records of several rows, through a whole shard: no row is lost or doubled where a record was taken in only partly."""

import json
from typing import Any

import pytest

from firnline_ingest.kinesis.start import After
from firnline_ingest.ledger.errors import RoutingChanged
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake import sending
from firnline_ingest.snowflake.channel_errors import ChannelLost
from firnline_ingest.values import LAST_ROW, ChannelState, Position
from tests.fakes.channels import MemoryChannel
from tests.fakes.kills import Killed, dies_at
from tests.fakes.kpl_packing import Packed, pack
from tests.fakes.receipts import problem
from tests.ingest.formats.test_cloudwatch_logs import envelope
from tests.ingest.shard.conftest import World

from .running import bounded, drained, numbers

LINES = {"type": "json_lines"}


def lines(*values: int) -> bytes:
    return b"\n".join(b'{"n":%d}' % value for value in values)


OBJECTS = {"type": "json", "several_objects": True}


def array(*values: int) -> bytes:
    return b"[%b]" % b",".join(b'{"n":%d}' % value for value in values)


@pytest.fixture(params=[(LINES, lines), (OBJECTS, array)], ids=["lines", "array"])
def several(request: pytest.FixtureRequest, world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A stream of records of one, three and two rows; two rows an append."""
    format_, of = request.param
    world.configure(format=format_)
    world.put(of(0), of(1, 2, 3), of(4, 5))
    monkeypatch.setattr(sending, "APPEND_BYTES", 900)
    return world


def test_each_line_is_a_row_with_its_number(several: World) -> None:
    receipt = bounded(several.services(), several.work())
    assert several.numbers == [0, 1, 2, 3, 4, 5]
    assert [json.loads(row)["KINESISMETADATA"]["row"] for row in several.served.rows] == [0, 0, 1, 2, 0, 1]
    assert (receipt.records, receipt.rows) == (3, 6)
    last = several.shard.last_position
    assert several.row.read_through == Position(last.sequence_number, 0, LAST_ROW)


@pytest.mark.parametrize("kills_at", range(1, 4))
def test_a_kill_between_the_rows_of_a_record_loses_and_doubles_none(several: World, kills_at: int) -> None:
    with pytest.raises(Killed):
        bounded(several.services(observer=dies_at(EpochStep.APPENDED, kills_at)), several.work())
    receipt = bounded(several.services("second"), several.work())
    assert several.numbers == [0, 1, 2, 3, 4, 5]
    assert receipt.problem is None


def test_what_was_proven_inside_a_record_is_gone_on_from(several: World) -> None:
    channels, tokens = several.channels, []
    channels.commits_at_once = False
    append = MemoryChannel.append

    def commit_once(self: MemoryChannel, rows: Any, *, start: str, end: str) -> None:
        append(self, rows, start=start, end=end)
        tokens.append(Position.from_token(end))
        channels.commit(self.name)
        if tokens[-1].is_inside_record and len(tokens) < 3:
            raise ChannelLost(self.name, "the test takes it")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemoryChannel, "append", commit_once)
        receipt = bounded(several.services(), several.work())
    assert any(token.is_inside_record for token in tokens)
    assert several.numbers == [0, 1, 2, 3, 4, 5]
    assert receipt.problem is None


def test_a_lost_ledger_row_and_a_token_inside_a_record_lose_nothing(several: World) -> None:
    with pytest.MonkeyPatch.context() as patch:
        append = MemoryChannel.append

        def once(self: MemoryChannel, rows: Any, *, start: str, end: str) -> None:
            append(self, rows, start=start, end=end)
            raise Killed

        patch.setattr(MemoryChannel, "append", once)
        with pytest.raises(Killed):
            bounded(several.services(), several.work())
    assert several.served.committed.is_inside_record
    several.ledger.forget(several.key())
    bounded(several.services("second"), several.work())
    assert several.numbers == [0, 1, 2, 3, 4, 5]


def killed_inside_a_record(several: World) -> Position:
    """A process that is gone once the ledger has it that one row of the second record is in the table; says where that is."""
    die = dies_at(EpochStep.LEDGERED, when=lambda: (at := several.row.read_through) and at.is_inside_record)
    several.channels.commits_at_once, several.channels.discards_on_open = False, True
    append = MemoryChannel.append

    def commit_one(self: MemoryChannel, rows: Any, *, start: str, end: str) -> None:
        append(self, rows, start=start, end=end)
        several.channels.commit(self.name, 1 if several.served.committed is None else 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemoryChannel, "append", commit_one)
        with pytest.raises(Killed):
            bounded(several.services(observer=die), several.work())
    several.channels.commits_at_once = True
    assert several.row.read_through is not None
    return several.row.read_through


@pytest.mark.parametrize("is_row_lost", [False, True])
def test_what_was_proven_inside_a_record_never_comes_again_in_another_channel(
    several: World, is_row_lost: bool
) -> None:
    """Nor where the ledger's row is lost too, and Spark's offset knows what was proven."""
    read_through = killed_inside_a_record(several)
    before = numbers(several.channels.served.pop(several.work().channel).rows)
    if is_row_lost:
        several.ledger.forget(several.key())
        asked = several.work(start=After(read_through))
    else:
        several.ledger.reset(resume_from(several.row, ResumeFrom.PROVEN, 1))
        asked = several.work()
    bounded(several.services("second"), asked)
    assert before + several.numbers == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("is_resumed", [False, True])
def test_the_rest_of_a_record_is_made_as_its_first_rows_were(several: World, is_resumed: bool) -> None:
    """Another format would make other rows of it, of which those up to the token would be taken for the ones that are there."""
    killed_inside_a_record(several)
    before = several.pipeline.format.model_dump(mode="json")
    if is_resumed:
        several.ledger.reset(resume_from(several.row, ResumeFrom.PROVEN, 1))
    several.configure(format={"type": "text"})
    assert problem(bounded(several.services("second"), several.work())) == RoutingChanged.id
    several.configure(format=before)
    assert drained(several.services("drain"), several.work()).problem is None
    assert several.numbers == [0, 1, 2, 3]
    several.configure(format={"type": "text"})
    assert bounded(several.services("third"), several.work()).rows == 1


def test_one_line_that_can_t_be_a_row_makes_the_whole_record_a_letter(world: World) -> None:
    world.configure(format=LINES)
    bad, _ = world.put(lines(0) + b"\n{oops\n" + lines(1), lines(2))
    bounded(world.services(), world.work())
    assert world.numbers == [2]
    (letter,) = world.letters
    assert (letter.sequence_number, letter.row, letter.reason) == (bad, 0, RejectReason.NOT_JSON)
    assert letter.detail.startswith("line 2: ")


def costs_the_channel(patch: pytest.MonkeyPatch, bad: int) -> None:
    """Whatever append the row is in is lost, and the channel with it."""
    append, state, lost = MemoryChannel.append, MemoryChannel.state, set[int]()

    def swallow(self: MemoryChannel, rows: Any, *, start: str, end: str) -> None:
        if bad in numbers([bytes(row) for row in rows]):
            lost.add(id(self))
        if id(self) not in lost:
            append(self, rows, start=start, end=end)

    def say(self: MemoryChannel) -> ChannelState:
        if id(self) in lost:
            lost.clear()
            raise ChannelLost(self.name, "lost", server_message="too many new columns")
        return state(self)

    patch.setattr(MemoryChannel, "append", swallow)
    patch.setattr(MemoryChannel, "state", say)


@pytest.mark.parametrize("bad", [1, 2, 3])
def test_a_row_that_costs_the_channel_makes_a_letter_of_its_record_from_that_append_on(
    several: World, bad: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        costs_the_channel(patch, bad)
        receipt = bounded(several.services(), several.work())
    (letter,) = several.letters
    assert (letter.reason, letter.rows) == (RejectReason.REFUSED, 3)
    before = list(range(1, 1 + letter.row))
    assert several.numbers == [0, *before, 4, 5]
    assert bad not in before
    assert receipt.problem is None
    bounded(several.services("second"), several.work())
    assert several.numbers == [0, *before, 4, 5]


@pytest.mark.parametrize("bad", [1, 2, 3])
def test_what_a_letter_has_of_the_last_record_is_not_sent_after_a_restart(
    world: World, monkeypatch: pytest.MonkeyPatch, bad: int
) -> None:
    """Though the table would take it by then: no record behind it has moved the ledger on."""
    world.configure(format=LINES)
    world.stream.put(pack([Packed(lines(0)), Packed(lines(1, 2, 3))]))
    monkeypatch.setattr(sending, "APPEND_BYTES", 450)
    with pytest.MonkeyPatch.context() as patch:
        costs_the_channel(patch, bad)
        bounded(world.services(), world.work())
    bounded(world.services("second"), world.work())
    (letter,) = world.letters
    assert (letter.sub_sequence_number, letter.row) == (1, bad - 1)
    assert world.numbers == list(range(bad))


def test_text_is_kept_in_one_column_as_it_is(world: World) -> None:
    world.configure(format={"type": "text", "column": "line"})
    world.put('"quoted"\n{\t\u2028'.encode(), b"\xff\xfe")
    bounded(world.services(), world.work())
    (row,) = map(json.loads, world.served.rows)
    assert row["LINE"] == '"quoted"\n{\t\u2028'
    assert "row" not in row["KINESISMETADATA"]
    (letter,) = world.letters
    assert letter.reason == RejectReason.INVALID_UTF8


def test_what_is_read_is_rows_letters_and_what_was_left_out(world: World) -> None:
    world.configure(format={"type": "cloudwatch_logs"}, empty_records="ignore")
    world.put(envelope(), b"plain", b"", envelope(messageType="CONTROL_MESSAGE"), b"")
    receipt = bounded(world.services(), world.work())
    made = {"rows": 2, "dead_letters": 1, "tombstones": 2, "control_messages": 1}
    assert {name: getattr(receipt, name) for name in made} == made
    assert receipt.records == 1 + receipt.dead_letters + receipt.tombstones + receipt.control_messages
    assert world.row.read_through == world.shard.last_position.whole
    assert bounded(world.services("second"), world.work()).records == 0
