"""Errors of records that could not be put into a stream."""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, KinesisError, Retryable, declared, did_you_mean
from firnline_ingest.sink.options import MOST_BYTES


@declared
class RecordUnfit(KinesisError, Fatal):
    """No stream takes the record."""

    stream: str
    problem: str
    number: int | None = None
    """The record's number among those that were read, from 1."""
    others: int = 0
    """Counts those that were left out like this one."""

    id = "FL-2401"
    message = "{which} for {stream!r} {problem}, and was not put.{nor}"
    next_step = f"a record has at most {MOST_BYTES:,} bytes with its key, and a key has 1 to 256 characters."
    causes = (
        "A record that no stream takes: more than 10 MiB with its key, or a key that is empty or longer than 256 "
        "characters. The others go on"
    )
    remedy = "cut it; another key"

    @property
    def which(self) -> str:
        return "A record" if self.number is None else f"Record {self.number:,}"

    @property
    def nor(self) -> str:
        return f" Others that were not put: {self.others:,}." if self.others else ""


@declared
class RecordsRefused(KinesisError, Retryable):
    """The stream took nothing for a while, or one refusal was enough."""

    stream: str
    refused: int
    attempts: int
    cause: str

    id = "FL-2402"
    message = "{after} of a request to {stream!r} were refused: {cause}"
    next_step = (
        "put what was not acknowledged again, more slowly, or give the stream more shards: one takes 1,000 records and 1 MB a "
        "second. If a fault was asked for: firnline local fault --clear"
    )
    causes = (
        "The stream took nothing for ten attempts in a row, some fifteen seconds; with `--fail-on-error`, the first "
        "refusal"
    )
    remedy = "slower, or more shards; what was not acknowledged is put again"

    @property
    def after(self) -> str:
        return (
            f"After {self.attempts} attempts, {self.refused} records"
            if self.attempts > 1
            else f"{self.refused} records"
        )


@declared
class RequestRefused(KinesisError, Fatal):
    """The service takes this request at no time."""

    stream: str
    largest: int
    cause: str

    id = "FL-2403"
    message = (
        "PutRecords on {stream!r} was refused: {cause} The request's largest record has {largest:,} bytes with its key."
    )
    next_step = (
        "a stream takes records of 1 MiB, or of more where it was told so: aws kinesis update-max-record-size; "
        "otherwise fix the reported error."
    )
    causes = (
        "The service takes this request at no time: mostly a record above the stream's limit, which is 1 MiB unless it "
        "was raised"
    )
    remedy = "`aws kinesis update-max-record-size`, or smaller records"


@declared
class SinkStreamMissing(KinesisError, Fatal):
    stream: str
    known: Sequence[str] | None

    id = "FL-2404"
    message = "There is no stream {stream!r} in this account and region{near}"
    next_step = (
        "name one that is there; check the region, the endpoint, and whose credentials these are. firnline up ENV makes those "
        "of an environment."
    )
    causes = "There is no such stream in that account and region"
    remedy = "one of those that it lists"

    @property
    def near(self) -> str:
        return f"; {did_you_mean(self.stream, self.known)}" if self.known is not None else "."


@declared
class PutForbidden(KinesisError, Fatal):
    stream: str
    cause: str

    id = "FL-2405"
    message = "kinesis:PutRecords on {stream!r} was denied: {cause}"
    next_step = (
        "allow kinesis:PutRecords on the stream to the owner of these credentials, and kms:GenerateDataKey on its key "
        "if it is encrypted. No policy of firnline bootstrap has it, since neither the engine nor a replay into the "
        "table needs it."
    )
    causes = "`kinesis:PutRecords`, or the stream's key, is not allowed to the caller"
    remedy = "allow it"


@declared
class SinkFailed(KinesisError, Fatal):
    """A record that was given and not acknowledged may be in the stream where its request got no answer."""

    stream: str
    acknowledged: int
    unacknowledged: int
    unknown: int
    """Counts the unacknowledged ones that the stream did not refuse after it had them."""
    cause: Exception

    id = "FL-2406"
    message = "{counts:; }. {reason}"
    next_step = "{advice}"
    causes = (
        "Putting ended with one of the errors above: so many records are in, so many are not, and of so many, whose request got "
        "no answer, it is not known"
    )
    remedy = (
        "what the cause says; then those that are not in again, and those that are not known, which may double some"
    )

    @property
    def advice(self) -> str:
        return getattr(self.cause, "next_step", "report this, with the trace.")

    @property
    def reason(self) -> str:
        return getattr(self.cause, "what", None) or f"{type(self.cause).__name__}: {self.cause}"

    @property
    def counts(self) -> tuple[str, ...]:
        outside = self.unacknowledged - self.unknown
        return (
            f"{self.acknowledged:,} records are in {self.stream!r}",
            *([f"{outside:,} more are not"] if outside else ()),
            *([f"of {self.unknown:,} more it is not known"] if self.unknown else ()),
        )


@declared
class LinesUnreadable(KinesisError, Fatal):
    """A file ended, or was none, while its lines were put."""

    file: str
    cause: str

    id = "FL-2408"
    message = "{file} can't be read to its end: {cause}."
    next_step = "get the file again; then put what is not in, or all of it where twice does no harm."
    causes = (
        "A file breaks off while its lines are put: a gzip that was cut, a disk. Those before are in, not in, or not known, "
        "as FL-2406 counts them"
    )
    remedy = "the file again"


class PutInterrupted(KinesisError, Fatal):
    id = "FL-2409"
    causes = "Ctrl-C"
    remedy = "what is not in, again"

    def __init__(self) -> None:
        super().__init__(
            "It was interrupted, and lines that it had not read yet are not counted.",
            next_step="put what is not in; of what is not known, some records may then be there twice.",
        )
