"""Errors of the Pulumi CLI.

PulumiError
├── CliMissing          there is none
├── CliTooOld           there is one, and nothing newer
├── CliSilent           there is one, and it does not say its version
├── CommandFailed       it ended with an error
│   ├── NoSuchStack     the stack is not in the backend
│   ├── NotLoggedIn     no backend is named, and the CLI is not logged in to Pulumi Cloud
│   ├── PlanExceeded    `up` would do what the reviewed plan does not say
│   ├── ErrorsReported  it ended well, and printed errors
│   └── StackLocked     another command holds the lock, or was killed while it held it
├── UnexpectedChanges   nothing should have changed, and something did
├── StackInUse          the command that holds the lock may still be running
├── PendingForeign      an object that a killed `up` was making exists, and belongs to somebody else
└── PendingUnknown      there is no lookup for an object that a killed `up` was making
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from firnline_infra.accounts.expiry import says_expired, step_of_whoever_asks
from firnline_infra.pulumi_cli.lock import Lock
from firnline_infra.pulumi_cli.resource import Urn
from firnline_infra.pulumi_cli.version import OLDEST, Version
from firnline_ingest.errors import Fatal, FirnlineError, declared

PROVIDE = "scripts/pulumi-cli"
INSTALL = "https://www.pulumi.com/docs/install"
LINES_SHOWN = 30


class PulumiError(FirnlineError, Fatal):
    """The Pulumi CLI could not do what it was asked."""

    id = "FL-7100"


class CliMissing(PulumiError):
    """No Pulumi CLI is on the PATH, and none was provided by scripts/pulumi-cli."""

    id = "FL-7101"
    causes = "No `pulumi` on the `PATH`, and none provided"
    remedy = "`scripts/pulumi-cli`"

    def __init__(self, provided_at: Path) -> None:
        super().__init__(
            f"There is no Pulumi CLI: none on the PATH, and none at {provided_at}.",
            next_step=f"in a clone of the project: {PROVIDE}; elsewhere install Pulumi {OLDEST} or newer: {INSTALL}",
        )


class CliTooOld(PulumiError):
    """The Pulumi CLI is older than the first version whose exit status tells drift from a failure."""

    id = "FL-7102"
    causes = "Older ones can't tell drift from a failure"
    remedy = "`scripts/pulumi-cli`, or update it"

    def __init__(self, binary: Path, found: Version | None) -> None:
        super().__init__(
            f"{binary} is Pulumi {found or 'of an unknown version'}; {OLDEST} is the oldest that will do.",
            next_step=f"update it ({INSTALL}), or, in a clone of the project: {PROVIDE}",
        )


class CliSilent(PulumiError):
    """The Pulumi CLI of the PATH did not answer when it was asked for its version. No other one is taken in its place unasked."""

    id = "FL-7113"
    causes = "`pulumi version` did not end: a wrapper that waits, a file system that is away, a very busy machine"
    remedy = "run it by hand, and see what it waits for; or take it off the `PATH`"

    def __init__(self, binary: Path, for_s: float, provided: Path | None = None) -> None:
        instead = (
            f": then {provided} is used" if provided else f", and provide another: {PROVIDE} in a clone, or {INSTALL}"
        )
        super().__init__(
            f"{binary} did not answer `{binary.name} version` for {for_s:.0f} s.",
            next_step=f"run `{binary} version` and see what it waits for; if the machine was busy, the same command again. "
            f"Or take it off the PATH{instead}",
        )


class CommandFailed(PulumiError):
    """A command of the Pulumi CLI ended with an error."""

    id = "FL-7103"
    causes = "The CLI ended with an error; its last lines are shown, and the message says where credentials had expired"
    remedy = "fix the errors above."

    def __init__(self, command: str, *, exit_status: int, lines: Sequence[str], next_step: str | None = None) -> None:
        self.exit_status = exit_status
        self.lines = tuple(lines)
        text = " ".join(lines)
        why = ", because the credentials have expired" if says_expired(text) else ""
        step = step_of_whoever_asks(text)
        super().__init__(
            f"`pulumi {command}` ended with status {exit_status}{why}. Its last lines:\n{_indented(lines)}",
            next_step=next_step or (f"{step} What was done is in the state." if step else None),
        )


class NoSuchStack(CommandFailed):
    """The backend has no stack of that name."""

    id = "FL-7104"
    causes = "The backend has no stack of that name"
    remedy = "correct the name, or `PULUMI_BACKEND_URL`."


class NotLoggedIn(CommandFailed):
    """No variable says where Pulumi's state is, and the CLI is logged in nowhere."""

    id = "FL-7112"
    causes = "`PULUMI_BACKEND_URL` is not set, and the Pulumi CLI is logged in nowhere"
    remedy = "the settings that `firnline bootstrap` has written: `set -a; . bootstrap/ENV.env; set +a`"

    def __init__(self, command: str, *, exit_status: int, lines: Sequence[str], stack: str = "ENV") -> None:
        super().__init__(
            command,
            exit_status=exit_status,
            lines=lines,
            next_step="say where the state is, with the file that `firnline bootstrap` has written beside its template: "
            f"set -a; . bootstrap/{stack}.env; set +a. For Pulumi Cloud: pulumi login.",
        )


class PlanExceeded(CommandFailed):
    """The world, or the program, differs from what the saved plan was made from."""

    id = "FL-7110"
    causes = "Something has changed since the plan was reviewed: the program, or what there is"
    remedy = (
        "something has changed since the plan was reviewed: preview again, have that reviewed, then `up` with the "
        "new plan. Steps that were done before the first one beyond the plan stay."
    )

    def __init__(self, stack: str, *, exit_status: int, lines: Sequence[str]) -> None:
        super().__init__(f"up --stack {stack} --plan", exit_status=exit_status, lines=lines)


class ErrorsReported(CommandFailed):
    """Pulumi ended with status 0, and what it printed counts errors: a plugin that was gone before its time does that."""

    id = "FL-7111"
    causes = "The Pulumi CLI ended with status 0 and printed errors, twice: what it says is done may not be"
    remedy = "fix the errors above; then the same command again, which does what is missing."


class StackLocked(CommandFailed):
    """Another command holds the stack's lock, or was killed while it held it."""

    id = "FL-7105"
    causes = "Another command has the stack, or was killed with it"
    remedy = "wait for the command that has the lock; `firnline up` clears the lock of one that was killed."

    def __init__(self, command: str, *, exit_status: int, lines: Sequence[str], locks: Sequence[Lock]) -> None:
        self.locks = tuple(locks)
        super().__init__(command, exit_status=exit_status, lines=lines)


class UnexpectedChanges(PulumiError):
    """A preview that should have found no changes found some."""

    id = "FL-7106"
    causes = "The cloud, or the program, is no longer what the state says"
    remedy = "find out who changed it; `firnline up` makes it what the program says."

    def __init__(self, stack: str, *, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        super().__init__(f"Stack {stack} is not what its program says:\n{_indented(lines)}")


class StackInUse(PulumiError):
    """The process that holds the lock is running, or runs where it can't be checked from here."""

    id = "FL-7107"
    causes = "The lock's process runs, or is on another machine"
    remedy = "let it end; if it is surely gone, `pulumi cancel`"

    def __init__(self, stack: str, lock: Lock, *, why: str) -> None:
        super().__init__(
            f"Stack {stack} is locked by {lock}: {why}.",
            next_step=f"let it come to its end; if you are sure that it is gone: pulumi cancel --stack {stack}",
        )


class PendingForeign(PulumiError):
    """A killed `up` left a create open, and the object that exists now was not made by it."""

    id = "FL-7108"
    causes = "**a killed `up` left a create open, and what exists has not its tags or comment**"
    remedy = (
        "give them other names in the spec, or remove what exists, and run `firnline up` again. Nothing of it was "
        "touched."
    )

    def __init__(self, foreign: Mapping[Urn, str]) -> None:
        found = _indented([f"{urn}: {why}" for urn, why in foreign.items()])
        super().__init__(
            f"The last `up` was killed while it made these; what exists under their names is not this stack's:\n{found}",
        )


@declared
class PendingUnknown(PulumiError):
    """A killed `up` left a create open, and there is no lookup for that type of resource."""

    urn: str

    id = "FL-7109"
    message = "The last `up` was killed while it made {urn}, and how to look for that kind of object is not known."
    causes = "The same, for a type that we can't look for"
    remedy = "look for it yourself. If it is there: pulumi import; if not: pulumi refresh --clear-pending-creates."


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines[-LINES_SHOWN:]) or "    (nothing)"
