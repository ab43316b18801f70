"""Errors that keep the benchmark from measuring."""

from pathlib import Path

from firnline_ingest.errors import EnvironmentalError, Fatal, FirnlineError

LOG_LINES = 15


class NoProc(EnvironmentalError):
    """Runbook: FL-1190."""

    id = "FL-1190"
    causes = "The bench reads CPU times from `/proc`"
    remedy = "run it on Linux"

    def __init__(self) -> None:
        super().__init__(
            "This machine has no /proc, from which the benchmark reads what processes cost.",
            next_step="run it on Linux; `scripts/bench page` runs everywhere.",
        )


class BenchFailed(FirnlineError, Fatal):
    """The engine, or the loop it is compared with, did not do what was to be measured. Runbook: FL-6090."""

    id = "FL-6090"
    causes = "A part of the bench did not come to its end"
    remedy = "what it says; try again on a quieter machine"

    def __init__(self, what: str, log_file: Path | None = None) -> None:
        lines: list[str] = []
        if log_file and log_file.is_file():
            lines = log_file.read_text(errors="replace").splitlines()[-LOG_LINES:]
        super().__init__(
            "\n".join([f"{what} Its log ends with:" if lines else what, *(f"    {line}" for line in lines)]),
            next_step="a machine that is very busy may need a second try; otherwise the log says why.",
        )
