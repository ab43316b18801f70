"""Errors of dead letters, and of their replay.

DeadLetterError
├── DeadLetterUnwritable, DeadLetterUnreadable, UnknownDeadLetter     one dead letter
├── DeadLettersOfOneMachine, NotReplayable                                a place that is the wrong one
├── DeadLettersForbidden, DeadLettersUnauthenticated, DeadLetterPlaceMissing      a service that says no
├── DeadLetterRequestMalformed                                            a service that has no such request
├── DeadLettersUnavailable                                                transient: a service that says: not now
├── StoppedByRecord: UnusableRecord, TooManyUnusable                  a pipeline that wants a person to look
├── JournalUnreadable, ReplayedElsewhere    what was replayed before is in another journal, or in none that can be read
├── ReplayUnprovable, FileUnprovable        a person has to decide about a batch
├── ReplayUnfinished, FileUnproven          transient: run it again
├── RepairUnusable, NoLedger                what a replay was given, or an engine that never ran
└── FilesExtraMissing, PipeUnusable, FilesRefused, FilesNotStaged     a replay by file: a package, a pipe or a right is missing
"""

from firnline_ingest.aws.next_steps import GIVE_CREDENTIALS, REPORT_REQUEST, STALE_CREDENTIALS, WHO_ASKED
from firnline_ingest.errors import DeadLetterError, Fatal, Retryable


class DeadLetterUnwritable(DeadLetterError, Fatal):
    """A record could not be kept; its shard stops, so that it is read again."""

    id = "FL-4001"
    causes = "The folder is full or not writable. The shard stops rather than lose the record"
    remedy = "make room, start again"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"A dead letter could not be written to {place}: {cause}.",
            next_step="nothing is lost: the shard stopped in front of the record. Give the folder space, or the engine "
            "the right to write there, then start the engine again.",
        )


class UnknownDeadLetter(DeadLetterError, Fatal):
    """A key without a dead letter."""

    id = "FL-4002"
    causes = "No dead letter under that key"
    remedy = "`firnline dead-letters list`"

    def __init__(self, key: str) -> None:
        super().__init__(f"There is no dead letter {key!r}.", next_step="firnline dead-letters list shows the keys.")


class DeadLetterUnreadable(DeadLetterError, Fatal):
    """A file or an object among the dead letters that is none, or that can't be opened."""

    id = "FL-4003"
    causes = "A dead letter's file was changed or moved"
    remedy = "restore it, or move it out of the folder"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place} can't be read as a dead letter: {cause}.",
            next_step="engines write whole dead letters only: see whether the file was changed, and if you may read it; move "
            "a file that is none out of the folder.",
        )


class DeadLettersOfOneMachine(DeadLetterError, Fatal):
    """A folder, where the engine's workers are on other machines: its dead letters would go with them."""

    id = "FL-4011"
    causes = "The dead letters' folder is one machine's, and workers run on others"
    remedy = "`dead_letters.s3`; or `spark.master: local[*]` for an engine on one machine"

    def __init__(self, folder: str, master: str | None) -> None:
        runs = f"spark.master is {master}" if master else "without spark.master, spark-submit decides where workers run"
        super().__init__(
            f"The dead letters' folder {folder} belongs to one machine, and {runs}: dead letters would lie on the workers' own "
            f"disks, and go with them.",
            next_step="give dead_letters.s3 (or dead_letters.stream) in place of dead_letters.folder; or, for an engine on one "
            'machine, "master": "local[*]" under "spark".',
        )


class DeadLettersForbidden(DeadLetterError, Fatal):
    """The service knows who asks, and does not let them."""

    id = "FL-4012"
    causes = "The bucket, the stream or their key refuses the engine"
    remedy = "the action that the message names (docs/permissions.md)"

    def __init__(self, action: str, place: str, cause: str, *, needed: str | None = None) -> None:
        super().__init__(
            f"{action} on {place} was denied: {cause}",
            next_step=f"nothing is lost: a shard stops in front of a record that it can't keep. Allow {needed or action} "
            f"{WHO_ASKED}; if a key encrypts what is there, its use too (kms:GenerateDataKey to write, kms:Decrypt to read).",
        )


class DeadLetterPlaceMissing(DeadLetterError, Fatal):
    """The bucket, the stream or the key is not there."""

    id = "FL-4013"
    causes = "The dead letters' bucket or stream is not there"
    remedy = "`firnline up`; region and account"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place}, where dead letters are kept, is not there: {cause}",
            next_step="check dead_letters, aws.region and the credentials' account; `firnline up` makes what the environment "
            "lacks.",
        )


class DeadLettersUnavailable(DeadLetterError, Retryable):
    """The service is throttling, failing, or out of reach."""

    id = "FL-4014"
    causes = "The bucket or the stream throttles, or can't be reached"
    remedy = "nothing, unless it lasts: the network, and the stream's shards"

    def __init__(self, action: str, place: str, cause: str, *, is_stale: bool = False) -> None:
        super().__init__(
            f"{action} on {place} failed for now: {cause}",
            next_step=STALE_CREDENTIALS
            if is_stale
            else "nothing is lost, and a running engine tries again by itself; if it lasts, check the network (a VPC endpoint, "
            "a proxy) and, of a stream, whether it has shards enough.",
        )


class DeadLettersUnauthenticated(DeadLetterError, Fatal):
    """There are no credentials, or AWS does not know them."""

    id = "FL-4015"
    causes = "AWS does not know the process's credentials, or there are none"
    remedy = "`aws sts get-caller-identity` has to answer there"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"There are no AWS credentials that open {place}, where dead letters are kept: {cause}",
            next_step=GIVE_CREDENTIALS,
        )


class DeadLetterRequestMalformed(DeadLetterError, Fatal):
    """The service has no such request: a defect of ours, or what answers is another service."""

    id = "FL-4019"
    causes = (
        "**S3 or Kinesis calls a request for dead letters malformed**: a defect of Firnline; or `aws.endpoints` leads to another "
        "service, or to a store that lacks conditional writes or checksums"
    )
    remedy = (
        "`aws.endpoints`, and the key of `dead_letters`; else report the message: it has the request, without values"
    )

    def __init__(self, action: str, place: str, cause: str) -> None:
        super().__init__(
            f"{action} on {place} was refused as malformed: {cause}",
            next_step=REPORT_REQUEST,
        )


class NotReplayable(DeadLetterError, Fatal):
    """Dead letters on a Kinesis stream have no place beside them for what was replayed."""

    id = "FL-4016"
    causes = "Dead letters on a Kinesis stream have no place that says which were replayed"
    remedy = "`firnline dead-letters export --letters FOLDER`, then `replay --dead-letters FOLDER`"

    def __init__(self, stream: str) -> None:
        super().__init__(
            f"Dead letters on the Kinesis stream {stream} can't be replayed from there: a stream has no place that says which of "
            f"them were.",
            next_step="firnline dead-letters export --letters FOLDER brings them into a folder, and firnline dead-letters replay "
            "--dead-letters FOLDER replays them from there. Keep that folder, and replay from it alone.",
        )


class StoppedByRecord(DeadLetterError, Fatal):
    """A shard stands in front of a record because its pipeline says so."""


class UnusableRecord(StoppedByRecord):
    """A record that can't be a row, in a pipeline that stops for one."""

    id = "FL-4017"
    causes = "A record that can't be a row, and `on_error: stop`. The records before it are in the table"
    remedy = "fix the producer; `dead_letter` or `skip`, and start again"

    def __init__(self, shard: str, sequence_number: str, reason: str, detail: str) -> None:
        super().__init__(
            f"Record {sequence_number} of {shard} can't be a row ({reason}: {detail}), and the pipeline's on_error is "
            f"'stop'.",
            next_step="nothing is lost: the shard stopped in front of it. To go on, set on_error of the pipeline to "
            "'dead_letter' or 'skip', and start the engine again before the stream drops it.",
        )


class TooManyUnusable(StoppedByRecord):
    """A storm of unusable records: a producer turned bad."""

    id = "FL-4018"
    causes = "**a producer turned bad**: more unusable records arrived in a minute than `max_unusable_per_minute`"
    remedy = (
        "see what it sends: the record that the message names is in the stream, not among the dead letters; raise the "
        "limit to take them in"
    )

    def __init__(self, shard: str, minute: str, most: int, first: str) -> None:
        self.minute, self.first = minute, first
        super().__init__(
            f"More than {most} records of {shard} that arrived in the minute of {minute} can't be rows, for example {first}; "
            f"max_unusable_per_minute allows {most}.",
            next_step="nothing is lost: the shard stopped in front of it. See what the producer sends (aws kinesis "
            "get-shard-iterator --shard-iterator-type AT_SEQUENCE_NUMBER finds that record; what came before it is in the "
            "dead letters); to take the storm in, raise max_unusable_per_minute or leave it out, and start the engine again "
            "before the stream drops the records. It stays stopped until the pipeline is changed "
            "so, or firnline resume says to go on.",
        )


class ReplayUnprovable(DeadLetterError, Fatal):
    """A batch was begun, and the channel that would tell how far it came is another one now."""

    id = "FL-4161"
    causes = "A replay was killed, and its channel or table was recreated before the next one"
    remedy = (
        "look for the rows of the batch (`firnline audit`); `replay --unfinished accept` or `forget` "
        "([replay](design/replay.md))"
    )

    def __init__(self, batch: str, why: str) -> None:
        super().__init__(
            f"How many rows of the replay {batch} are in the table can't be determined: {why}.",
            next_step="look whether they are there (firnline audit, or the table by the positions in the batch), then run it "
            "with --unfinished accept if they are, or with --unfinished forget if none is: its dead letters are free again then.",
        )


class ReplayedElsewhere(DeadLetterError, Fatal):
    """The channel was written by a replay that this journal knows nothing of."""

    id = "FL-4162"
    causes = "**the dead letters were replayed from another place**, or `replays/` lacks a batch"
    remedy = "replay from that place; restore `replays/`"

    def __init__(self, channel: str, token: str, place: str) -> None:
        super().__init__(
            f"The channel {channel} stands at {token}, which no batch in {place} explains: its dead letters were replayed from "
            f"another place, or the journal there is incomplete.",
            next_step="replay from the place that was used before (a copy of a folder is another place once one of both was "
            "replayed); restore the folder replays/ of this one. Nothing was sent.",
        )


class ReplayUnfinished(DeadLetterError, Retryable):
    """Rows were sent, and their proof did not come in time; or others replay the same shard at the same time."""

    id = "FL-4163"
    causes = "Snowflake did not commit in time, or several replays contend for a shard"
    remedy = "the same command again"

    def __init__(self, batch: str, why: str) -> None:
        super().__init__(
            f"The replay {batch} is not finished: {why}.",
            next_step="run the same command again: it finishes this batch first, and sends no row twice.",
        )


class RepairUnusable(DeadLetterError, Fatal):
    """A callable that can't be loaded, or a file of letters with a line that is none."""

    id = "FL-4164"
    causes = "`--with` names no function, or a line of `--from` is not a dead letter"
    remedy = "module:function from the working folder; a file that `export` wrote"

    def __init__(self, what: str, cause: str) -> None:
        super().__init__(
            f"{what} can't be used to repair dead letters: {cause}.",
            next_step="a callable is module:function, takes a record's bytes and returns bytes, or None for what stays "
            "a dead letter; "
            "a file is one that firnline dead-letters export wrote. Nothing was sent.",
        )


class NoLedger(DeadLetterError, Fatal):
    """No engine has run, so it is not known what it would read again."""

    id = "FL-4166"
    causes = "The configuration belongs to an engine that never ran here"
    remedy = "the engine.json and the account of the engine that wrote the dead letters"

    def __init__(self, table: str) -> None:
        super().__init__(
            f"The ledger {table} is not there, so it can't be determined which dead letters the engine has passed.",
            next_step="replay with the engine.json of the engine that wrote the dead letters, and its account. "
            "Nothing was sent.",
        )


class JournalUnreadable(DeadLetterError, Fatal):
    """An object of the journal that is none."""

    id = "FL-4165"
    causes = "A batch of a replay was changed or is cut short; its shard's dead letters wait"
    remedy = "restore the object"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place} can't be read as a replay's batch: {cause}.",
            next_step="restore the object (a version, a copy): until it can be read, it is unknown which dead letters it "
            "replayed, so nothing of its shard is sent.",
        )


class FilesExtraMissing(DeadLetterError, Fatal):
    id = "FL-4181"
    causes = "Dead letters were to go by file, and Snowflake's package `snowflake-ingest` is not installed"
    remedy = (
        "install `firnline-ingest[files]` where that runs; the artefact has it if a pipeline sets `oversize_rows: file`"
    )

    def __init__(self, extra: str, cause: str) -> None:
        super().__init__(
            f"Files are loaded with Snowflake's package snowflake-ingest, which is not installed: {cause}",
            next_step=f"install {extra} where this runs; an engine's artefact has it if a pipeline sets oversize_rows: file.",
        )


class PipeUnusable(DeadLetterError, Fatal):
    id = "FL-4182"
    causes = "`replay --by-file`, and the table has no pipe `<TABLE>_DEAD_LETTERS` that loads files in whole"
    remedy = "`file_replay: true` in the specification and `firnline up`; or [make it by hand](files.md)"

    def __init__(self, pipe: str, problem: str) -> None:
        super().__init__(
            f"The pipe {pipe} can't load files of dead letters: {problem}.",
            next_step="create stage and pipe as docs/files.md has them, with the role's rights on both. Nothing was staged.",
        )


class FilesRefused(DeadLetterError, Fatal):
    id = "FL-4183"
    causes = "Snowpipe's REST service refused the user, or its default role lacks a right; or it calls a request malformed (400)"
    remedy = "what the message names; then the same command again"

    def __init__(self, pipe: str, call: str, cause: str, *, is_malformed: bool = False) -> None:
        super().__init__(
            f"Snowflake refused {call} of the pipe {pipe}: {cause}",
            next_step="nothing is lost: what was to go in stays a dead letter. This is a defect of Firnline, which waiting does "
            "not heal: report this message."
            if is_malformed
            else "the user's default role needs OPERATE and MONITOR on the pipe, READ on its stage, INSERT and SELECT on "
            "the table, USAGE on what they are in (docs/files.md). Then run the same command again, or wait for the engine's "
            "next round: nothing goes in twice.",
        )


class FilesNotStaged(DeadLetterError, Fatal):
    id = "FL-4184"
    causes = "A file could not be put into the stage"
    remedy = "READ and WRITE on it, and the way to Snowflake's storage; then the same command again"

    def __init__(self, stage: str, cause: str) -> None:
        super().__init__(
            f"A file could not be put into the stage {stage}: {cause}",
            next_step="if it is gone, `firnline up` makes it again; the role needs READ and WRITE on it, and this machine a "
            "way to the storage that Snowflake keeps its stages in (SYSTEM$ALLOWLIST names the hosts). Then run the same command "
            "again, or wait for the engine's next round: nothing goes in twice.",
        )


class FileUnproven(DeadLetterError, Retryable):
    id = "FL-4185"
    causes = "The pipe has said nothing of a file for a quarter of an hour"
    remedy = "whether the pipe is paused (`SYSTEM$PIPE_STATUS`); the same command again"

    def __init__(self, pipe: str, path: str, minutes: float) -> None:
        super().__init__(
            f"After {minutes:g} minutes the pipe {pipe} has not said whether {path} is loaded.",
            next_step="ask SYSTEM$PIPE_STATUS: PAUSED is resumed, STOPPED_STAGE_DROPPED is dropped, and `firnline up` makes it "
            "again. The same command, or the engine's next round, goes on where this one stopped, and nothing goes in twice.",
        )


class FileUnprovable(DeadLetterError, Fatal):
    """The pipe's memory does not tell whether the rows are in, all and once."""

    id = "FL-4186"
    causes = (
        "**a person has to decide** about a batch: its pipe has forgotten it, was recreated, or loaded a part of it"
    )
    remedy = "look for its rows by their positions, then `--unfinished accept` or `forget` ([files.md](files.md))"

    def __init__(self, pipe: str, path: str, why: str) -> None:
        super().__init__(
            f"Whether the rows of {path} are in the table can't be determined by the pipe {pipe}: {why}.",
            next_step="look for its rows in the table by their positions (docs/files.md), and tell `firnline dead-letters replay "
            "--by-file` what you found: --unfinished accept if they are there, or --unfinished forget if none is.",
        )
