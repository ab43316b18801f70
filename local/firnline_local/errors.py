"""Errors of the embedded environment.

LocalError
├── ProcessEnded         one of its processes is gone
│   └── PortInUse        because another program has its port
├── ProcessNotReady      one of its processes does not come up
├── FolderInUse          another environment lives in the folder
├── FolderForeign        something else does
├── NoEnvironment        none runs there
├── StaleEnvironment     one ran there, and was killed
├── UnknownTypeToken     a program names a type that can't exist there
├── InputNotCarried      a resource is asked for what can't be made there
├── StatementRefused     a statement was refused
└── ControlRefused       a server of it refused a request of ours
"""

import shlex
from pathlib import Path

from firnline_ingest.errors import Fatal, FirnlineError, declared

START = "firnline local up"


class LocalError(FirnlineError, Fatal):
    """The embedded environment could not do what it was asked."""

    id = "FL-6000"


@declared
class ProcessEnded(LocalError):
    """A process of the environment ended by itself. Runbook: FL-6001."""

    name: str
    exit_status: int
    log: str

    id = "FL-6001"
    message = (
        "The {name} process of the embedded environment ended with status {exit_status}. "
        "Its log ends with:\n{last_lines}"
    )
    next_step = f"fix the errors above, then start the environment again: {START}"
    causes = "An embedded server ended by itself"
    remedy = "correct what its log lines say, start again"

    @property
    def last_lines(self) -> str:
        return _indented(self.log)


@declared
class PortInUse(ProcessEnded):
    """A process was given a port that another program has. Runbook: FL-6003."""

    port: str

    id = "FL-6003"
    message = "Port {port} of 127.0.0.1, which the {name} process was to have, belongs to another program."
    next_step = "end that program, or leave the port out to get a free one."
    causes = "The port that was asked for belongs to another program"
    remedy = "end that, or leave the port out"


@declared
class ProcessNotReady(LocalError):
    """A process of the environment did not come up in time. Runbook: FL-6002."""

    name: str
    problem: str
    log: str

    id = "FL-6002"
    message = "The {name} process of the embedded environment {problem}. Its log ends with:\n{last_lines}"
    next_step = "if the machine is busy, try again; otherwise fix the reported error."
    causes = "A server was not ready within a minute"
    remedy = "try again where the machine is busy; else see its log"

    @property
    def last_lines(self) -> str:
        return _indented(self.log)


@declared
class FolderInUse(LocalError):
    """Two environments can't share a folder: keys and certificates of one would be overwritten. Runbook: FL-6030."""

    folder: Path

    id = "FL-6030"
    message = "An embedded environment already runs in {folder}."
    next_step = "use that one, stop it with Ctrl-C in its terminal, or give this one another --folder."
    causes = "An environment runs in that folder already"
    remedy = "use it, stop it, or name another `--folder`"


@declared
class FolderForeign(LocalError):
    """A start empties its folder, and this one holds what no environment has put there. Runbook: FL-6036."""

    folder: Path

    id = "FL-6036"
    message = "{folder} holds files that are not an embedded environment's; starting there would remove some of them."
    next_step = "name a new or an empty folder with --folder."
    causes = "The folder holds files of no environment"
    remedy = "name a new or empty one"


@declared
class NoEnvironment(LocalError):
    """No environment runs in the folder. Runbook: FL-6031."""

    folder: Path

    id = "FL-6031"
    message = "No embedded environment runs in {folder}."
    next_step = (
        f"start one in another terminal: {START}; or name its folder with --folder. For real accounts, leave out "
        "--local and --folder, and unset FIRNLINE_LOCAL_FOLDER."
    )
    causes = "None runs in that folder"
    remedy = "`firnline local up`, or name its `--folder`"


@declared
class StaleEnvironment(LocalError):
    """The environment of the folder was killed and left its state file. Runbook: FL-6032."""

    folder: Path
    pid: int

    id = "FL-6032"
    message = "The embedded environment in {folder} (process {pid}) has ended without removing its state file."
    next_step = f"start a new one in the same folder, which replaces what was left: {START} --folder {{quoted_folder}}"
    causes = "One was killed there"
    remedy = "`firnline local up` in the same folder"

    @property
    def quoted_folder(self) -> str:
        return shlex.quote(str(self.folder))


@declared
class UnknownTypeToken(LocalError):
    """A program names a resource, provider or function (by Pulumi's type token) that nothing here has. Runbook: FL-6033."""

    token: str
    known: list[str]

    id = "FL-6033"
    message = "The embedded environment can't make a {token}; it makes: {known}."
    next_step = "leave the object out of the specification, or add a row for its type to local/providers/."
    causes = "The program names a Pulumi type that nothing here makes"
    remedy = "leave it out, or add it to `local/providers/`"


@declared
class InputNotCarried(LocalError):
    """A resource has inputs that the embedded services can't honour. Runbook: FL-6039."""

    type_: str
    inputs: list[str]
    carried: list[str]

    id = "FL-6039"
    message = "The embedded environment can't make a {type_} with {inputs}; it knows {carried}."
    next_step = "leave the input out for this environment, or carry it in the row of its type in local/providers/."
    causes = "A resource asks for what the embedded services can't honour"
    remedy = "leave the input out for this environment"


@declared
class ColumnNull(LocalError):
    """The stock provider reads a column that is hidden from its role. Runbook: FL-6049."""

    column: str
    of: str

    id = "FL-6049"
    message = 'sql: Scan error on column name "{column}" of {of}: converting NULL is unsupported.'
    next_step = "refresh in the role that owns it; `firnline preview` does without."
    causes = "A role without OWNERSHIP of a user refreshes a stack: SHOW USERS hides the user's columns from it"
    remedy = "`firnline preview`, which does without that refresh, or refresh in the role that deploys"


@declared
class ControlRefused(LocalError):
    """A server of the environment refused one of our own requests. Runbook: FL-6035."""

    url: str
    answer: str

    id = "FL-6035"
    message = "{url} refused: {answer}"
    next_step = "correct the request; if it can't be reached, read the logs in the environment's folder."
    causes = "A server refused a control request"
    remedy = "correct the request; read the logs"


@declared
class StatementRefused(LocalError):
    """The embedded Snowflake did not run a statement. Runbook: FL-6038."""

    statement: str
    role: str
    why: str

    id = "FL-6038"
    message = "{role} could not run: {statement}\n{answer}"
    next_step: str = "correct the statement; if a privilege is missing, run it with --role admin."
    causes = "The embedded Snowflake refused a statement"
    remedy = "correct it; [what it does not know](embedded-snowflake.md)"

    @property
    def answer(self) -> str:
        return _indented(self.why)


def _indented(log: str) -> str:
    return "\n".join(f"    {line}" for line in log.splitlines()) or "    (nothing)"
