"""What can go wrong with dead letters.

DeadLetterError
├── DeadLetterUnwritable, DeadLetterUnreadable, UnknownDeadLetter     one letter
├── LettersOfOneMachine, NotReplayable                                a place that is the wrong one
├── LettersForbidden, LettersUnauthenticated, LetterPlaceMissing      a service that says no
├── LettersUnavailable                                                a service that says: not now
└── StoppedByRecord: UnusableRecord, TooManyUnusable                  a pipeline that wants a person to look
"""

from firnline_ingest.aws.next_steps import GIVE_CREDENTIALS, STALE_CREDENTIALS, WHO_ASKED
from firnline_ingest.errors import DeadLetterError, Fatal, Retryable


class DeadLetterUnwritable(DeadLetterError, Fatal):
    """A record could not be kept; its shard stops, so that it is read again."""

    id = "FL-4001"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"A dead letter could not be written to {place}: {cause}.",
            next_step="nothing is lost: the shard stopped in front of the record. Give the folder space, or the engine "
            "the right to write there, then start the engine again.",
        )


class UnknownDeadLetter(DeadLetterError, Fatal):
    """A key without a letter."""

    id = "FL-4002"

    def __init__(self, key: str) -> None:
        super().__init__(f"There is no dead letter {key!r}.", next_step="firnline dead-letters list shows the keys.")


class DeadLetterUnreadable(DeadLetterError, Fatal):
    """A file or an object among the letters that is none, or that can't be opened."""

    id = "FL-4003"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place} can't be read as a dead letter: {cause}.",
            next_step="engines write whole letters only: see whether the file was changed, and whether you may read it; move "
            "a file that is none out of the folder.",
        )


class LettersOfOneMachine(DeadLetterError, Fatal):
    """A folder, where the engine's workers are on other machines: its letters would go with them."""

    id = "FL-4011"

    def __init__(self, folder: str, master: str | None) -> None:
        runs = f"spark.master is {master}" if master else "without spark.master, spark-submit decides where workers run"
        super().__init__(
            f"The dead letters' folder {folder} belongs to one machine, and {runs}: letters would lie on the workers' own "
            f"disks, and go with them.",
            next_step="give dead_letters.s3 (or dead_letters.stream) in place of dead_letters.folder; or, for an engine on one "
            'machine, "master": "local[*]" under "spark".',
        )


class LettersForbidden(DeadLetterError, Fatal):
    """The service knows who asks, and does not let them."""

    id = "FL-4012"

    def __init__(self, action: str, place: str, cause: str, *, needed: str | None = None) -> None:
        super().__init__(
            f"{action} on {place} was denied: {cause}",
            next_step=f"nothing is lost: a shard stops in front of a record that it can't keep. Allow {needed or action} "
            f"{WHO_ASKED}; where a key encrypts what is there, its use too (kms:GenerateDataKey to write, kms:Decrypt to read).",
        )


class LetterPlaceMissing(DeadLetterError, Fatal):
    """The bucket, the stream or the key is not there."""

    id = "FL-4013"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place}, where dead letters are kept, is not there: {cause}",
            next_step="check dead_letters, aws.region and the credentials' account; `firnline up` makes what the environment "
            "lacks.",
        )


class LettersUnavailable(DeadLetterError, Retryable):
    """The service is throttling, failing, or out of reach."""

    id = "FL-4014"

    def __init__(self, action: str, place: str, cause: str, *, is_stale: bool = False) -> None:
        super().__init__(
            f"{action} on {place} failed for now: {cause}",
            next_step=STALE_CREDENTIALS
            if is_stale
            else "nothing is lost, and a running engine tries again by itself; if it lasts, check the network (a VPC endpoint, "
            "a proxy) and, of a stream, whether it has shards enough.",
        )


class LettersUnauthenticated(DeadLetterError, Fatal):
    """There are no credentials, or AWS does not know them."""

    id = "FL-4015"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"There are no AWS credentials that open {place}, where dead letters are kept: {cause}",
            next_step=GIVE_CREDENTIALS,
        )


class NotReplayable(DeadLetterError, Fatal):
    """Letters on a Kinesis stream have no place beside them for what was replayed."""

    id = "FL-4016"

    def __init__(self, stream: str) -> None:
        super().__init__(
            f"Dead letters on the Kinesis stream {stream} can't be replayed from there: a stream has no place that says which of "
            f"them were.",
            next_step="firnline dead-letters export --letters FOLDER brings them into a folder, and firnline dead-letters replay "
            "--folder FOLDER replays them from there. Keep that folder, and replay from it alone.",
        )


class StoppedByRecord(DeadLetterError, Fatal):
    """A shard stands in front of a record because its pipeline says so."""


class UnusableRecord(StoppedByRecord):
    """A record that can't be a row, in a pipeline that stops for one."""

    id = "FL-4017"

    def __init__(self, shard: str, sequence_number: str, reason: str, detail: str) -> None:
        super().__init__(
            f"Record {sequence_number} of {shard} can't be a row ({reason}: {detail}), and the pipeline's unusable_records is "
            f"'stop'.",
            next_step="nothing is lost: the shard stopped in front of it. To go on, set unusable_records of the pipeline to "
            "'keep' (it becomes a dead letter) or 'skip', and start the engine again before the stream drops it.",
        )


class TooManyUnusable(StoppedByRecord):
    """A storm of unusable records: a producer turned bad."""

    id = "FL-4018"

    def __init__(self, shard: str, minute: str, most: int, first: str) -> None:
        super().__init__(
            f"More than {most} records of {shard} that arrived in the minute of {minute} can't be rows, for example {first}; "
            f"max_unusable_per_minute allows {most}.",
            next_step="nothing is lost: the shard stopped in front of it. See what the producer sends (aws kinesis "
            "get-shard-iterator --shard-iterator-type AT_SEQUENCE_NUMBER finds that record; what came before it is in the "
            "dead letters); to take the storm in, raise max_unusable_per_minute or leave it out, and start the engine again "
            "before the stream drops the records.",
        )
