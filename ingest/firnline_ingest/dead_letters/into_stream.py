"""Puts the records of dead letters into their stream again, for pipelines whose rows Spark alone makes.

The order is: request written ①, records put ②, answer written ③. A kill in front of ① leaves the dead letters as they were; from
① on the request's dead letters are taken. Between ① and ③ nobody knows whether the stream has them: no run puts those again
without a person's word, because PutRecords has no token by which the stream would know a record that it has.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Never

import msgspec

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.dead_letters import DeadLetter, NamedObjects, open_objects, open_reader
from firnline_ingest.dead_letters.conversion import CallableFailed
from firnline_ingest.dead_letters.errors import NoLedger
from firnline_ingest.dead_letters.journal import Journal, Outcome, place_of
from firnline_ingest.dead_letters.passed import FORGOTTEN, NOT_PASSED, READ_AGAIN, has_passed
from firnline_ingest.dead_letters.put_journal import Put, PutEnd, PutJournal, PutOutcome, PutRequest
from firnline_ingest.dead_letters.replay import A_COPY, NO_PIPELINE, OnShard, ReplayRequest, Replays, ReplayServices
from firnline_ingest.dead_letters.shard_replay import ReplayReport
from firnline_ingest.errors import DeadLetterError, Fatal, FirnlineError, declared
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.sink.options import MOST_BYTES, USUAL_RECORD_BYTES, SinkOptions
from firnline_ingest.sink.put_records import Unanswered, is_refusal, put_records
from firnline_ingest.sink.sending import FIRST_PAUSE_S, LONGEST_PAUSE_S
from firnline_ingest.sink.waiting import Entry, entry
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

ChosenLetter = tuple[DeadLetter, Entry]
ATTEMPTS = 8
"""Of records that the stream refuses for the moment."""
UNKNOWN = "a run that put it was killed, or got no answer: look in the stream; then --unfinished accept, or forget"
PARTLY = "some of its rows are in the table, and its record would bring them again"
TOO_LARGE = "larger than a record of a stream may be"
THROTTLED = "the stream refused it for the moment; run the same command again"


@declared
class NotIntoStream(DeadLetterError, Fatal):
    """Dead letters that can be replayed into the table have no need of the stream."""

    stream: str

    id = "FL-4167"
    message = (
        "The pipeline of {stream} has no query, so its dead letters go into the table by themselves, each once; put "
        "into the stream they would be new records, at least once."
    )
    next_step = "leave out --into-stream."
    causes = "`--into-stream` was asked for a pipeline without a `query`"
    remedy = "leave it out: a replay puts the rows into the table, each once"


@declared
class PutUnanswered(DeadLetterError, Fatal):
    """A request got no answer, so its records may be in the stream."""

    stream: str
    number: int
    letters: int
    cause: str

    id = "FL-4168"
    message = (
        "The stream {stream} gave no answer to request {number}, of {letters:,} records, which may be in it: {cause}"
    )
    next_step = (
        "nothing puts them again by itself. Look whether they are there (a consumer, or the rows); then run the same "
        "command with --unfinished accept if they are, or --unfinished forget to put them once more: whatever is "
        "there then is there twice."
    )
    causes = "PutRecords got no answer, so it is not known whether the stream has the request's records"
    remedy = "look in the stream, then `--unfinished accept` or `forget`"


@dataclass(kw_only=True)
class StreamReplay:
    """Puts the records of one shard's dead letters; not thread-safe. `data_of` gives the bytes to put, or why there are none."""

    journal: Journal
    puts: PutJournal
    client: "KinesisClient"
    stream: str
    data_of: Callable[[DeadLetter], bytes | str]
    only_look: bool = False
    pause: Callable[[float], object] = time.sleep
    now_ms: Callable[[], int] = lambda: int(time.time() * 1000)
    report: ReplayReport = field(default_factory=ReplayReport)

    def run(self, letters: Iterable[DeadLetter]) -> ReplayReport:
        """Raises DeadLetterError, and what the stream refuses for good."""
        puts = self.puts.puts()
        unknown = {place for put in puts if put.end is None for place in put.places()}
        taken = self.journal.replayed().batch_of.keys() | {place for put in puts for place in put.places()}
        number = max((put.request.number for put in puts), default=0)
        for chosen in _requests(self._free(letters, set(taken), unknown)):
            if self.only_look:
                self.report.letters += len(chosen)
                continue
            number = self._put_all(number, chosen)
        return self.report

    def decide(self, outcome: Outcome) -> None:
        """Takes a person's word about requests that got no answer."""
        decided = PutOutcome.ACCEPTED if outcome is Outcome.ACCEPTED else PutOutcome.VOID
        for put in self.puts.puts():
            if put.end is None:
                self.puts.finish(put.request.number, PutEnd(outcome=decided))

    def _free(
        self, letters: Iterable[DeadLetter], taken: set[tuple[int, int]], unknown: set[tuple[int, int]]
    ) -> Iterator[ChosenLetter]:
        for letter in letters:
            place = place_of(letter.key.position)
            if place in unknown:
                self.report.remaining[UNKNOWN] += 1
            elif place in taken:
                self.report.already += 1
            elif isinstance(data := self.data_of(letter), str):
                self.report.remaining[data] += 1
            elif (made := entry(data, letter.partition_key, _hash_key(letter))).size > MOST_BYTES:
                self.report.remaining[TOO_LARGE] += 1
            else:
                taken.add(place)
                yield letter, made

    def _put_all(self, number: int, chosen: Sequence[ChosenLetter]) -> int:
        """Returns the number of the last request. What was refused goes with one of its own, so that each has one answer."""
        for attempt in range(ATTEMPTS):
            number += 1
            if not (chosen := self._put(number, chosen)):
                return number
            self.pause(min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**attempt))
        self.report.remaining[THROTTLED] += len(chosen)
        return number

    def _put(self, number: int, chosen: Sequence[ChosenLetter]) -> Sequence[ChosenLetter]:
        """Returns those that were refused for the moment. Raises ReplayRaced where another run has the number, since it may have
        these dead letters; PutUnanswered, and what the stream refuses for good: then none of them is in.
        """
        tokens = tuple(letter.key.position.token for letter, _ in chosen)
        request = PutRequest(number=number, stream=self.stream, begun_ms=self.now_ms(), letters=tokens)
        if not self.puts.begin(request):
            raise ReplayRaced(self.stream, number)
        try:
            causes = put_records(self.client, self.stream, [each for _, each in chosen])
        except FirnlineError as error:
            if is_refusal(error.__cause__):
                self.puts.finish(number, PutEnd(outcome=PutOutcome.VOID))
            raise
        if (cause := next((each for each in causes if isinstance(each, Unanswered)), None)) is not None:
            raise PutUnanswered(self.stream, number, len(chosen), cause)
        are_in = tuple(cause is None for cause in causes)
        self.puts.finish(number, PutEnd(outcome=PutOutcome.ANSWERED, are_in=are_in))
        self.report.letters += sum(are_in)
        return [each for each, is_in in zip(chosen, are_in, strict=True) if not is_in]


@declared
class ReplayRaced(DeadLetterError, Fatal):
    """Two runs put records of one shard at once."""

    stream: str
    number: int

    id = "FL-4169"
    message = (
        "Another run puts records into {stream}: request {number} is its own. Records that this run has reported are "
        "in the stream."
    )
    next_step = "run the same command again when the other one is over."
    causes = "Another `dead-letters replay --into-stream` puts the same shard's records"
    remedy = "run it again when the other one is over"


@dataclass(frozen=True)
class IntoStream(Replays):
    """All shards of one request, whose records go into their streams again."""

    client_of: Callable[[PipelineConfig], "KinesisClient"] | None = None

    def of_shard(self, shard: ShardKey, total: ReplayReport | None = None) -> ReplayReport:
        """Raises NotIntoStream, PutUnanswered, ReplayRaced, and what the stream refuses for good."""
        pipeline = self.config.find_pipeline(shard.stream)
        if pipeline is None:
            report = ReplayReport()
            report.remaining[NO_PIPELINE] += sum(1 for _ in self._letters(shard))
            return report
        if pipeline.query is None:
            raise NotIntoStream(shard.stream)
        assert self.client_of is not None, "who puts has a client"
        row = self.services.ledger.read(shard)
        journal = Journal(self.services.objects, self.config.application, shard)
        replay = StreamReplay(
            journal=journal,
            puts=PutJournal(self.services.objects, journal.folder),
            client=self.client_of(pipeline),
            stream=shard.stream,
            data_of=lambda letter: self._data_of(letter, row),
            only_look=self.request.only_look,
        )
        if self.request.unfinished is not None and not self.request.only_look:
            replay.decide(self.request.unfinished)
        return replay.run(self._letters(shard))

    def _data_of(self, letter: DeadLetter, row: ShardRow | None) -> bytes | str:
        if letter.reason == RejectReason.MISPLACED and letter.reason not in self.request.choice.reasons:
            return A_COPY
        if letter.row:
            return PARTLY
        if row is None:
            if not self.request.with_forgotten:
                return FORGOTTEN
        elif not has_passed(row, letter):
            return NOT_PASSED
        elif not self.request.read_again and _was_read_again(letter, row):
            return READ_AGAIN
        try:
            data = self._repaired(letter)
        except CallableFailed as error:
            return str(error)
        return "left alone" if data is None else data


def put_into_stream(
    config: EngineConfig, request: ReplayRequest, on_shard: OnShard, on_damaged: Callable[[DeadLetterError], None]
) -> ReplayReport:
    """Raises DeadLetterError, LedgerError, and the errors of the sink; what was reported by then is done."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.ledger.provision import existing_ledger

    objects, ledger = open_objects(config), existing_ledger(config)
    if ledger is None:
        raise NoLedger(config.ledger.table)

    def unused(*_: object) -> Never:
        raise AssertionError("nothing goes into the table")

    services = ReplayServices(
        letters=open_reader(config), objects=objects, ledger=ledger, channels_of=unused, target_of=unused
    )
    clients = {
        pipeline.stream: kinesis_client(config.aws, attempts=1, access=pipeline.access)
        for pipeline in config.pipelines
        if pipeline.query is not None
    }

    def client_of(pipeline: PipelineConfig) -> "KinesisClient":
        return clients.get(pipeline.stream) or kinesis_client(config.aws, attempts=1, access=pipeline.access)

    return IntoStream(config, request, services, on_damaged, client_of=client_of).run(on_shard)


def puts_of(objects: NamedObjects, application: str, shard: ShardKey) -> Sequence[Put]:
    """Returns what was put of a shard's dead letters."""
    return PutJournal(objects, Journal(objects, application, shard).folder).puts()


def _was_read_again(letter: DeadLetter, row: ShardRow) -> bool:
    again = row.read_again
    return again is not None and place_of(letter.key.position) <= place_of(again.through)


def _hash_key(letter: DeadLetter) -> str | None:
    return None if isinstance(letter.explicit_hash_key, msgspec.UnsetType) else letter.explicit_hash_key


def _requests(chosen: Iterable[ChosenLetter]) -> Iterator[Sequence[ChosenLetter]]:
    """In their order, cut into what one PutRecords takes; a large record goes alone, so that its refusal is its own."""
    options, part, size = SinkOptions(), list[ChosenLetter](), 0
    for each in chosen:
        more = each[1].size
        is_alone = more > USUAL_RECORD_BYTES
        if part and (is_alone or len(part) == options.batch_records or size + more > options.batch_bytes):
            yield part
            part, size = [], 0
        part.append(each)
        size += more
        if is_alone:
            yield part
            part, size = [], 0
    if part:
        yield part
