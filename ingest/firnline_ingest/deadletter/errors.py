"""What can go wrong with dead letters."""

from firnline_ingest.errors import DeadLetterError, Fatal


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
    """A file among the letters that is none, or that can't be opened."""

    id = "FL-4003"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"{place} can't be read as a dead letter: {cause}.",
            next_step="engines write whole letters only: see whether the file was changed, and whether you may read it; move "
            "a file that is none out of the folder.",
        )
