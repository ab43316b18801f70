"""What goes wrong between letters and a table, where files carry them.

DeadLetterError
├── FilesExtraMissing, PipeUnusable    before anything was staged
├── FilesRefused, FilesNotStaged       a right or a way is missing
├── FileUnproven                       passing: the next run goes on
└── FileUnprovable                     a person has to decide
"""

from firnline_ingest.errors import DeadLetterError, Fatal, Retryable


class FilesExtraMissing(DeadLetterError, Fatal):
    id = "FL-4181"

    def __init__(self, extra: str, cause: str) -> None:
        super().__init__(
            f"Files are loaded with Snowflake's package snowflake-ingest, which is not installed: {cause}",
            next_step=f"install {extra} where this command runs; no cluster needs it.",
        )


class PipeUnusable(DeadLetterError, Fatal):
    id = "FL-4182"

    def __init__(self, pipe: str, problem: str) -> None:
        super().__init__(
            f"The pipe {pipe} can't load files of letters: {problem}.",
            next_step="make stage and pipe as docs/files.md has them, with the role's rights on both. Nothing was staged.",
        )


class FilesRefused(DeadLetterError, Fatal):
    id = "FL-4183"

    def __init__(self, pipe: str, call: str, cause: str) -> None:
        super().__init__(
            f"Snowflake refused {call} of the pipe {pipe}: {cause}",
            next_step="the user's default role needs OPERATE and MONITOR on the pipe, READ on its stage, INSERT and SELECT on "
            "the table, USAGE on what they are in (docs/files.md). Then run the same command again: nothing goes in twice.",
        )


class FilesNotStaged(DeadLetterError, Fatal):
    id = "FL-4184"

    def __init__(self, stage: str, cause: str) -> None:
        super().__init__(
            f"A file could not be put into the stage {stage}: {cause}",
            next_step="where it is gone, `firnline up` makes it again; the role needs READ and WRITE on it, and this machine a "
            "way to the storage that Snowflake keeps its stages in (SYSTEM$ALLOWLIST names the hosts). Then run the same command "
            "again: nothing goes in twice.",
        )


class FileUnproven(DeadLetterError, Retryable):
    id = "FL-4185"

    def __init__(self, pipe: str, path: str, minutes: float) -> None:
        super().__init__(
            f"After {minutes:g} minutes the pipe {pipe} has not said whether {path} is loaded.",
            next_step="ask SYSTEM$PIPE_STATUS: PAUSED is resumed, STOPPED_STAGE_DROPPED is dropped, and `firnline up` makes it "
            "again. Then run the same command again: it goes on where this one stopped, and nothing goes in twice.",
        )


class FileUnprovable(DeadLetterError, Fatal):
    """What the pipe remembers does not tell whether the rows are in, all and once."""

    id = "FL-4186"

    def __init__(self, pipe: str, path: str, why: str) -> None:
        super().__init__(
            f"Whether the rows of {path} are in the table can't be told by the pipe {pipe}: {why}.",
            next_step="look for its rows in the table by their positions (docs/files.md), and say what you found: "
            "--unfinished accept if they are there, or --unfinished forget if none is.",
        )
