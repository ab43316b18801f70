"""Errors of dead letters, and of their replay.

DeadLetterError
├── DeadLetterUnwritable, DeadLetterUnreadable, UnknownDeadLetter     one dead letter
├── DeadLettersOfOneMachine, NotReplayable                                a place that is the wrong one
├── DeadLettersForbidden, DeadLettersUnauthenticated, DeadLetterPlaceMissing      a service that says no
├── DeadLetterRequestMalformed                                            a service that has no such request
├── DeadLettersUnavailable                                                transient: a service that says: not now
├── StoppedByRecord: UnusableRecord, TooManyUnusable                  a pipeline that wants a person to look
├── JournalUnreadable, ReplayedElsewhere    what was replayed before is in another journal, or in none that can be read
├── ReplayUnprovable                        a person has to decide about a batch
├── ReplayUnfinished                        transient: run it again
└── RepairUnusable, NoLedger                what a replay was given, or an engine that never ran

Those of a replay by file are in file_errors.py.
"""

from firnline_ingest.aws.next_steps import GIVE_CREDENTIALS, REPORT_REQUEST, STALE_CREDENTIALS, WHO_ASKED
from firnline_ingest.errors import DeadLetterError, Fatal, Retryable, declared


@declared
class DeadLetterUnwritable(DeadLetterError, Fatal):
    """A record could not be kept; its shard stops, so that it is read again."""

    place: str
    cause: str

    id = "FL-4001"
    message = "A dead letter could not be written to {place}: {cause}."
    next_step = (
        "nothing is lost: the shard stopped in front of the record. Give the folder space, or the engine the right to "
        "write there, then start the engine again."
    )
    causes = "The folder is full or not writable. The shard stops rather than lose the record"
    remedy = "make room, start again"


@declared
class UnknownDeadLetter(DeadLetterError, Fatal):
    """A key without a dead letter."""

    key: str

    id = "FL-4002"
    message = "There is no dead letter {key!r}."
    next_step = "firnline dead-letters list shows the keys."
    causes = "No dead letter under that key"
    remedy = "`firnline dead-letters list`"


@declared
class DeadLetterUnreadable(DeadLetterError, Fatal):
    """A file or an object among the dead letters that is none, or that can't be opened."""

    place: str
    cause: str

    id = "FL-4003"
    message = "{place} can't be read as a dead letter: {cause}."
    next_step = (
        "engines write whole dead letters only: see whether the file was changed, and if you may read it; move a file "
        "that is none out of the folder."
    )
    causes = "A dead letter's file was changed or moved"
    remedy = "restore it, or move it out of the folder"


@declared
class DeadLettersOfOneMachine(DeadLetterError, Fatal):
    """A folder, where the engine's workers are on other machines: its dead letters would go with them."""

    folder: str
    master: str | None

    id = "FL-4011"
    message = (
        "The dead letters' folder {folder} belongs to one machine, and {runs}: dead letters would lie on the workers' own "
        "disks, and go with them."
    )
    next_step = (
        "give dead_letters.s3 (or dead_letters.stream) in place of dead_letters.folder; or, for an engine on one "
        'machine, "master": "local[*]" under "spark".'
    )
    causes = "The dead letters' folder is one machine's, and workers run on others"
    remedy = "`dead_letters.s3`; or `spark.master: local[*]` for an engine on one machine"

    @property
    def runs(self) -> str:
        return (
            f"spark.master is {self.master}"
            if self.master
            else "without spark.master, spark-submit decides where workers run"
        )


@declared
class DeadLettersForbidden(DeadLetterError, Fatal):
    """The service knows who asks, and does not let them."""

    action: str
    place: str
    cause: str
    needed: str | None = None

    id = "FL-4012"
    message = "{action} on {place} was denied: {cause}"
    next_step = (
        "nothing is lost: a shard stops in front of a record that it can't keep. Allow {right} "
        f"{WHO_ASKED}; if a key encrypts what is there, its use too (kms:GenerateDataKey to write, kms:Decrypt to read)."
    )
    causes = "The bucket, the stream or their key refuses the engine"
    remedy = "the action that the message names (docs/permissions.md)"

    @property
    def right(self) -> str:
        return self.needed or self.action


@declared
class DeadLetterPlaceMissing(DeadLetterError, Fatal):
    """The bucket, the stream or the key is not there."""

    place: str
    cause: str

    id = "FL-4013"
    message = "{place}, where dead letters are kept, is not there: {cause}"
    next_step = (
        "check dead_letters, aws.region and the credentials' account; `firnline up` makes what the environment lacks."
    )
    causes = "The dead letters' bucket or stream is not there"
    remedy = "`firnline up`; region and account"


@declared
class DeadLettersUnavailable(DeadLetterError, Retryable):
    """The service is throttling, failing, or out of reach."""

    action: str
    place: str
    cause: str
    is_stale: bool = False

    id = "FL-4014"
    message = "{action} on {place} failed for now: {cause}"
    next_step = "{advice}"
    causes = "The bucket or the stream throttles, or can't be reached"
    remedy = "nothing, unless it lasts: the network, and the stream's shards"

    @property
    def advice(self) -> str:
        return (
            STALE_CREDENTIALS
            if self.is_stale
            else "nothing is lost, and a running engine tries again by itself; if it lasts, check the network (a VPC endpoint, "
            "a proxy) and, of a stream, whether it has shards enough."
        )


@declared
class DeadLettersUnauthenticated(DeadLetterError, Fatal):
    """There are no credentials, or AWS does not know them."""

    place: str
    cause: str

    id = "FL-4015"
    message = "There are no AWS credentials that open {place}, where dead letters are kept: {cause}"
    next_step = GIVE_CREDENTIALS
    causes = "AWS does not know the process's credentials, or there are none"
    remedy = "`aws sts get-caller-identity` has to answer there"


@declared
class DeadLetterRequestMalformed(DeadLetterError, Fatal):
    """The service has no such request: a defect of ours, or what answers is another service."""

    action: str
    place: str
    cause: str

    id = "FL-4019"
    message = "{action} on {place} was refused as malformed: {cause}"
    next_step = REPORT_REQUEST
    causes = (
        "**S3 or Kinesis calls a request for dead letters malformed**: a defect of Firnline; or `aws.endpoints` leads to another "
        "service, or to a store that lacks conditional writes or checksums"
    )
    remedy = (
        "`aws.endpoints`, and the key of `dead_letters`; else report the message: it has the request, without values"
    )


@declared
class NotReplayable(DeadLetterError, Fatal):
    """Dead letters on a Kinesis stream have no place beside them for what was replayed."""

    stream: str

    id = "FL-4016"
    message = (
        "Dead letters on the Kinesis stream {stream} can't be replayed from there: a stream has no place that says "
        "which of them were."
    )
    next_step = (
        "firnline dead-letters export --letters FOLDER brings them into a folder, and firnline dead-letters replay "
        "--dead-letters FOLDER replays them from there. Keep that folder, and replay from it alone."
    )
    causes = "Dead letters on a Kinesis stream have no place that says which were replayed"
    remedy = "`firnline dead-letters export --letters FOLDER`, then `replay --dead-letters FOLDER`"


class StoppedByRecord(DeadLetterError, Fatal):
    """A shard stands in front of a record because its pipeline says so."""


@declared
class UnusableRecord(StoppedByRecord):
    """A record that can't be a row, in a pipeline that stops for one."""

    shard: str
    sequence_number: str
    reason: str
    detail: str

    id = "FL-4017"
    message = "Record {sequence_number} of {shard} can't be a row ({reason}: {detail}), and the pipeline's on_error is 'stop'."
    next_step = (
        "nothing is lost: the shard stopped in front of it. To go on, set on_error of the pipeline to 'dead_letter' "
        "or 'skip', and start the engine again before the stream drops it."
    )
    causes = "A record that can't be a row, and `on_error: stop`. The records before it are in the table"
    remedy = "fix the producer; `dead_letter` or `skip`, and start again"


@declared
class TooManyUnusable(StoppedByRecord):
    """A storm of unusable records: a producer turned bad."""

    shard: str
    minute: str
    most: int
    first: str

    id = "FL-4018"
    message = (
        "More than {most} records of {shard} that arrived in the minute of {minute} can't be rows, for example {first}; "
        "max_unusable_per_minute allows {most}."
    )
    next_step = (
        "nothing is lost: the shard stopped in front of it. See what the producer sends (aws kinesis get-shard-iterator "
        "--shard-iterator-type AT_SEQUENCE_NUMBER finds that record; what came before it is in the dead letters); to take the "
        "storm in, raise max_unusable_per_minute or leave it out, and start the engine again before the stream drops the "
        "records. It stays stopped until the pipeline is changed so, or firnline resume says to go on."
    )
    causes = "**a producer turned bad**: more unusable records arrived in a minute than `max_unusable_per_minute`"
    remedy = (
        "see what it sends: the record that the message names is in the stream, not among the dead letters; raise the "
        "limit to take them in"
    )


@declared
class ReplayUnprovable(DeadLetterError, Fatal):
    """A batch was begun, and the channel that would tell how far it came is another one now."""

    batch: str
    why: str

    id = "FL-4161"
    message = "How many rows of the replay {batch} are in the table can't be determined: {why}."
    next_step = (
        "look whether they are there (firnline audit, or the table by the positions in the batch), then run it with "
        "--unfinished accept if they are, or with --unfinished forget if none is: its dead letters are free again then."
    )
    causes = "A replay was killed, and its channel or table was recreated before the next one"
    remedy = (
        "look for the rows of the batch (`firnline audit`); `replay --unfinished accept` or `forget` "
        "([replay](design/replay.md))"
    )


@declared
class ReplayedElsewhere(DeadLetterError, Fatal):
    """The channel was written by a replay that this journal knows nothing of."""

    channel: str
    token: str
    place: str

    id = "FL-4162"
    message = (
        "The channel {channel} stands at {token}, which no batch in {place} explains: its dead letters were replayed "
        "from another place, or the journal there is incomplete."
    )
    next_step = (
        "replay from the place that was used before (a copy of a folder is another place once one of both was "
        "replayed); restore the folder replays/ of this one. Nothing was sent."
    )
    causes = "**the dead letters were replayed from another place**, or `replays/` lacks a batch"
    remedy = "replay from that place; restore `replays/`"


@declared
class ReplayUnfinished(DeadLetterError, Retryable):
    """Rows were sent, and their proof did not come in time; or others replay the same shard at the same time."""

    batch: str
    why: str

    id = "FL-4163"
    message = "The replay {batch} is not finished: {why}."
    next_step = "run the same command again: it finishes this batch first, and sends no row twice."
    causes = "Snowflake did not commit in time, or several replays contend for a shard"
    remedy = "the same command again"


@declared
class RepairUnusable(DeadLetterError, Fatal):
    """A callable that can't be loaded, or a file of letters with a line that is none."""

    given: str
    cause: str

    id = "FL-4164"
    message = "{given} can't be used to repair dead letters: {cause}."
    next_step = (
        "a callable is module:function, takes a record's bytes and returns bytes, or None for what stays a dead letter; a file "
        "is one that firnline dead-letters export wrote. Nothing was sent."
    )
    causes = "`--with` names no function, or a line of `--from` is not a dead letter"
    remedy = "module:function from the working folder; a file that `export` wrote"


@declared
class NoLedger(DeadLetterError, Fatal):
    """No engine has run, so it is not known what it would read again."""

    table: str

    id = "FL-4166"
    message = "The ledger {table} is not there, so it can't be determined which dead letters the engine has passed."
    next_step = (
        "replay with the engine.json of the engine that wrote the dead letters, and its account. Nothing was sent."
    )
    causes = "The configuration belongs to an engine that never ran here"
    remedy = "the engine.json and the account of the engine that wrote the dead letters"


@declared
class JournalUnreadable(DeadLetterError, Fatal):
    """An object of the journal that is none."""

    place: str
    cause: str

    id = "FL-4165"
    message = "{place} can't be read as a replay's batch: {cause}."
    next_step = (
        "restore the object (a version, a copy): until it can be read, it is unknown which dead letters it replayed, "
        "so nothing of its shard is sent."
    )
    causes = "A batch of a replay was changed or is cut short; its shard's dead letters wait"
    remedy = "restore the object"
