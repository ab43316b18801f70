"""Errors of a replay by file.

DeadLetterError
├── FilesExtraMissing, PipeUnusable, FilesRefused, FilesNotStaged     a package, a pipe or a right is missing
├── FileUnproven                                                      transient: run it again
└── FileUnprovable                                                    a person has to decide about a batch
"""

from firnline_ingest.errors import DeadLetterError, Fatal, Retryable, declared


@declared
class FilesExtraMissing(DeadLetterError, Fatal):
    extra: str
    cause: str

    id = "FL-4181"
    message = "Files are loaded with Snowflake's package snowflake-ingest, which is not installed: {cause}"
    next_step = "install {extra} where this runs; an engine's artefact has it if a pipeline sets oversize_rows: file."
    causes = "Dead letters were to go by file, and Snowflake's package `snowflake-ingest` is not installed"
    remedy = (
        "install `firnline-ingest[files]` where that runs; the artefact has it if a pipeline sets `oversize_rows: file`"
    )


@declared
class PipeUnusable(DeadLetterError, Fatal):
    pipe: str
    problem: str

    id = "FL-4182"
    message = "The pipe {pipe} can't load files of dead letters: {problem}."
    next_step = "create stage and pipe as docs/files.md has them, with the role's rights on both. Nothing was staged."
    causes = "`replay --by-file`, and the table has no pipe `<TABLE>_DEAD_LETTERS` that loads files in whole"
    remedy = "`file_replay: true` in the specification and `firnline up`; or [make it by hand](files.md)"


@declared
class FilesRefused(DeadLetterError, Fatal):
    pipe: str
    call: str
    cause: str
    is_malformed: bool = False

    id = "FL-4183"
    message = "Snowflake refused {call} of the pipe {pipe}: {cause}"
    next_step = "{advice}"
    causes = "Snowpipe's REST service refused the user, or its default role lacks a right; or it calls a request malformed (400)"
    remedy = "what the message names; then the same command again"

    @property
    def advice(self) -> str:
        return (
            "nothing is lost: what was to go in stays a dead letter. This is a defect of Firnline, which waiting does "
            "not heal: report this message."
            if self.is_malformed
            else "the user's default role needs OPERATE and MONITOR on the pipe, READ on its stage, INSERT and SELECT on "
            "the table, USAGE on what they are in (docs/files.md). Then run the same command again, or wait for the engine's "
            "next round: nothing goes in twice."
        )


@declared
class FilesNotStaged(DeadLetterError, Fatal):
    stage: str
    cause: str

    id = "FL-4184"
    message = "A file could not be put into the stage {stage}: {cause}"
    next_step = (
        "if it is gone, `firnline up` makes it again; the role needs READ and WRITE on it, and this machine a way to "
        "the storage that Snowflake keeps its stages in (SYSTEM$ALLOWLIST names the hosts). Then run the same command "
        "again, or wait for the engine's next round: nothing goes in twice."
    )
    causes = "A file could not be put into the stage"
    remedy = "READ and WRITE on it, and the way to Snowflake's storage; then the same command again"


@declared
class FileUnproven(DeadLetterError, Retryable):
    pipe: str
    path: str
    minutes: float

    id = "FL-4185"
    message = "After {minutes:g} minutes the pipe {pipe} has not said whether {path} is loaded."
    next_step = (
        "ask SYSTEM$PIPE_STATUS: PAUSED is resumed, STOPPED_STAGE_DROPPED is dropped, and `firnline up` makes it again. The "
        "same command, or the engine's next round, goes on where this one stopped, and nothing goes in twice."
    )
    causes = "The pipe has said nothing of a file for a quarter of an hour"
    remedy = "whether the pipe is paused (`SYSTEM$PIPE_STATUS`); the same command again"


@declared
class FileUnprovable(DeadLetterError, Fatal):
    """The pipe's memory does not tell whether the rows are in, all and once."""

    pipe: str
    path: str
    why: str

    id = "FL-4186"
    message = "Whether the rows of {path} are in the table can't be determined by the pipe {pipe}: {why}."
    next_step = (
        "look for its rows in the table by their positions (docs/files.md), and tell `firnline dead-letters replay "
        "--by-file` what you found: --unfinished accept if they are there, or --unfinished forget if none is."
    )
    causes = (
        "**a person has to decide** about a batch: its pipe has forgotten it, was recreated, or loaded a part of it"
    )
    remedy = "look for its rows by their positions, then `--unfinished accept` or `forget` ([files.md](files.md))"
