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


@declared
class CliMissing(PulumiError):
    """No Pulumi CLI is on the PATH, and none was provided by scripts/pulumi-cli."""

    provided_at: Path

    id = "FL-7101"
    message = "There is no Pulumi CLI: none on the PATH, and none at {provided_at}."
    next_step = f"in a clone of the project: {PROVIDE}; elsewhere install Pulumi {OLDEST} or newer: {INSTALL}"
    causes = "No `pulumi` on the `PATH`, and none provided"
    remedy = "`scripts/pulumi-cli`"


@declared
class CliTooOld(PulumiError):
    """The Pulumi CLI is older than the first version whose exit status tells drift from a failure."""

    binary: Path
    found: Version | None

    id = "FL-7102"
    message = f"{{binary}} is Pulumi {{version}}; {OLDEST} is the oldest that will do."
    next_step = f"update it ({INSTALL}), or, in a clone of the project: {PROVIDE}"
    causes = "Older ones can't tell drift from a failure"
    remedy = "`scripts/pulumi-cli`, or update it"

    @property
    def version(self) -> str:
        return str(self.found or "of an unknown version")


@declared
class CliSilent(PulumiError):
    """The Pulumi CLI of the PATH did not answer when it was asked for its version. No other one is taken in its place unasked."""

    binary: Path
    for_s: float
    provided: Path | None = None

    id = "FL-7113"
    message = "{binary} did not answer `{binary.name} version` for {for_s:.0f} s."
    next_step = (
        "run `{binary} version` and see what it waits for; if the machine was busy, the same command again. Or take it off the "
        "PATH{instead}"
    )
    causes = "`pulumi version` did not end: a wrapper that waits, a file system that is away, a very busy machine"
    remedy = "run it by hand, and see what it waits for; or take it off the `PATH`"

    @property
    def instead(self) -> str:
        return (
            f": then {self.provided} is used"
            if self.provided
            else f", and provide another: {PROVIDE} in a clone, or {INSTALL}"
        )


@declared
class CommandFailed(PulumiError):
    """A command of the Pulumi CLI ended with an error."""

    command: str
    exit_status: int
    lines: Sequence[str]

    id = "FL-7103"
    message = "`pulumi {command}` ended with status {exit_status}{why}. Its last lines:\n{last_lines}"
    next_step = "{advice}"
    causes = "The CLI ended with an error; its last lines are shown, and the message says where credentials had expired"
    remedy = "fix the errors above."

    @property
    def last_lines(self) -> str:
        return _indented(self.lines)

    @property
    def why(self) -> str:
        return ", because the credentials have expired" if says_expired(" ".join(self.lines)) else ""

    @property
    def advice(self) -> str:
        step = step_of_whoever_asks(" ".join(self.lines))
        return f"{step} What was done is in the state." if step else self.remedy


class NoSuchStack(CommandFailed):
    """The backend has no stack of that name."""

    id = "FL-7104"
    causes = "The backend has no stack of that name"
    remedy = "correct the name, or `PULUMI_BACKEND_URL`."


@declared
class NotLoggedIn(CommandFailed):
    """No variable says where Pulumi's state is, and the CLI is logged in nowhere."""

    stack: str = "ENV"

    id = "FL-7112"
    next_step = (
        "say where the state is, with the file that `firnline bootstrap` has written beside its template: set -a; . "
        "bootstrap/{stack}.env; set +a. For Pulumi Cloud: pulumi login."
    )
    causes = "`PULUMI_BACKEND_URL` is not set, and the Pulumi CLI is logged in nowhere"
    remedy = "the settings that `firnline bootstrap` has written: `set -a; . bootstrap/ENV.env; set +a`"


class PlanExceeded(CommandFailed):
    """The world, or the program, differs from what the saved plan was made from."""

    id = "FL-7110"
    causes = "Something has changed since the plan was reviewed: the program, or what there is"
    remedy = (
        "something has changed since the plan was reviewed: preview again, have that reviewed, then `up` with the "
        "new plan. Steps that were done before the first one beyond the plan stay."
    )


class ErrorsReported(CommandFailed):
    """Pulumi ended with status 0, and what it printed counts errors: a plugin that was gone before its time does that."""

    id = "FL-7111"
    causes = "The Pulumi CLI ended with status 0 and printed errors, twice: what it says is done may not be"
    remedy = "fix the errors above; then the same command again, which does what is missing."


@declared
class StackLocked(CommandFailed):
    """Another command holds the stack's lock, or was killed while it held it."""

    locks: Sequence[Lock]

    id = "FL-7105"
    causes = "Another command has the stack, or was killed with it"
    remedy = "wait for the command that has the lock; `firnline up` clears the lock of one that was killed."


@declared
class UnexpectedChanges(PulumiError):
    """A preview that should have found no changes found some."""

    stack: str
    lines: Sequence[str]

    id = "FL-7106"
    message = "Stack {stack} is not what its program says:\n{last_lines}"
    causes = "The cloud, or the program, is no longer what the state says"
    remedy = "find out who changed it; `firnline up` makes it what the program says."

    @property
    def last_lines(self) -> str:
        return _indented(self.lines)


@declared
class StackInUse(PulumiError):
    """The process that holds the lock is running, or runs where it can't be checked from here."""

    stack: str
    lock: Lock
    why: str

    id = "FL-7107"
    message = "Stack {stack} is locked by {lock}: {why}."
    next_step = "let it come to its end; if you are sure that it is gone: pulumi cancel --stack {stack}"
    causes = "The lock's process runs, or is on another machine"
    remedy = "let it end; if it is surely gone, `pulumi cancel`"


@declared
class PendingForeign(PulumiError):
    """A killed `up` left a create open, and the object that exists now was not made by it."""

    foreign: Mapping[Urn, str]

    id = "FL-7108"
    message = (
        "The last `up` was killed while it made these; what exists under their names is not this stack's:\n{found}"
    )
    causes = "**a killed `up` left a create open, and what exists has not its tags or comment**"
    remedy = (
        "give them other names in the spec, or remove what exists, and run `firnline up` again. Nothing of it was "
        "touched."
    )

    @property
    def found(self) -> str:
        return _indented([f"{urn}: {why}" for urn, why in self.foreign.items()])


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
