"""Errors of a demo."""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, declared


@declared
class EngineStuck(FirnlineError, Fatal):
    """The engine ended too early, or does not get on."""

    exit_status: int | None
    last_lines: Sequence[str]

    id = "FL-6060"
    message = "The engine {how}. Its last words:\n    {shown}"
    next_step = "read engine.log in the demo's folder, whose path is printed; `firnline explain ID` explains an error."
    causes = "The demo's engine ended too early, or does not get on"
    remedy = "`engine.log` in the demo's folder, which is kept where the demo fails: its path is printed"

    @property
    def how(self) -> str:
        return "does not get on" if self.exit_status is None else f"ended with status {self.exit_status}"

    @property
    def shown(self) -> str:
        return "\n    ".join(line[:300] for line in self.last_lines[-8:]) or "(none)"


@declared
class NoEvents(FirnlineError, Fatal):
    """A file of one's own without lines."""

    file: str

    id = "FL-6061"
    message = "{file} holds no events."
    next_step = "give a file with one event a line."
    causes = "A file without a line"
    remedy = "one event a line"
