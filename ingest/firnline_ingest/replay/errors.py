"""What can go wrong when dead letters come back.

DeadLetterError
├── JournalUnreadable, ReplayedElsewhere    what was replayed before is told by another journal, or by none that can be read
├── ReplayUnprovable                        a person has to decide about a batch
├── ReplayUnfinished                        passing: run it again
├── RepairUnusable                          what was given to repair letters with
└── NoLedger                                an engine that never ran
"""

from firnline_ingest.errors import DeadLetterError, Fatal, Retryable


class ReplayUnprovable(DeadLetterError, Fatal):
    """A batch was begun, and the channel that would tell how far it came is another one now."""

    id = "FL-4161"

    def __init__(self, batch: str, why: str) -> None:
        super().__init__(
            f"How many rows of the replay {batch} are in the table can't be told: {why}.",
            next_step="look whether they are there (firnline audit, or the table by the positions in the batch), then run it "
            "with --unfinished accept if they are, or with --unfinished forget if none is: its letters are free again then.",
        )


class ReplayedElsewhere(DeadLetterError, Fatal):
    """The channel was written by a replay that this journal knows nothing of."""

    id = "FL-4162"

    def __init__(self, channel: str, token: str, place: str) -> None:
        super().__init__(
            f"The channel {channel} stands at {token}, which no batch in {place} explains: its letters were replayed from "
            f"another place, or the journal there is incomplete.",
            next_step="replay from the place that was used before (a copy of a folder is another place once one of both was "
            "replayed); restore the folder replays/ of this one. Nothing was sent.",
        )


class ReplayUnfinished(DeadLetterError, Retryable):
    """Rows were sent, and their proof did not come in time; or others replay the same shard at the same time."""

    id = "FL-4163"

    def __init__(self, batch: str, why: str) -> None:
        super().__init__(
            f"The replay {batch} is not finished: {why}.",
            next_step="run the same command again: it finishes this batch first, and sends no row twice.",
        )


class RepairUnusable(DeadLetterError, Fatal):
    """A callable that can't be loaded, or a file of letters with a line that is none."""

    id = "FL-4164"

    def __init__(self, what: str, cause: str) -> None:
        super().__init__(
            f"{what} can't be used to repair letters: {cause}.",
            next_step="a callable is module:function, takes a record's bytes and returns bytes, or None for what stays a letter; "
            "a file is one that firnline dead-letters export wrote. Nothing was sent.",
        )


class NoLedger(DeadLetterError, Fatal):
    """No engine has run: what it would read again, nobody knows."""

    id = "FL-4166"

    def __init__(self, table: str) -> None:
        super().__init__(
            f"The ledger {table} is not there, so it can't be told which letters the engine has passed.",
            next_step="replay with the engine.json of the engine that wrote the letters, and its account. "
            "Nothing was sent.",
        )


class JournalUnreadable(DeadLetterError, Fatal):
    """An object of the journal that is none."""

    id = "FL-4165"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place} can't be read as a replay's batch: {cause}.",
            next_step="restore the object (another version of it, a copy): while it can't be read, nobody knows which letters it "
            "replayed, so nothing of its shard is sent.",
        )
