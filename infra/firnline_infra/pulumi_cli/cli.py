"""One Pulumi project, driven through the command line.

Every method is one command that asks nothing and returns when the engine is done; what it prints goes line by line to
`on_line`. Secrets stay as the engine masks them.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firnline_infra.pulumi_cli.errors import (
    CommandFailed,
    ErrorsReported,
    NoSuchStack,
    NotLoggedIn,
    PlanExceeded,
    StackLocked,
    UnexpectedChanges,
)
from firnline_infra.pulumi_cli.lock import Lock
from firnline_infra.pulumi_cli.resource import ImportedResource, Urn, import_document
from firnline_infra.pulumi_cli.run import Ended, run

UNATTENDED = ("--non-interactive", "--color", "never")
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Stands in a plan for what only making something will tell."""
NO_SUCH_STACK = 6  # exit statuses of 3.226.1 and newer
CHANGES = 7
NOT_EXPECTED = "no changes were expected"
EXCEEDS = re.compile(r"violates plan|is not allowed by the plan|expected resource operations for .+ but none were seen")
"""What the engine says of what the plan does not have, or has and did not come (pkg/resource/deploy, step_generator.go and
deployment_executor.go)."""
NO_LOGIN = "PULUMI_ACCESS_TOKEN must be set for login"
ERRORS = re.compile(r"\*\*(\w+ )?failed\*\*|^\s*(Resources:\s*)?\d+ errored\b", re.MULTILINE)
"""In what the engine prints (pkg/backend/display, the operation's text of a step that failed, and the summary)."""


def _ignore(line: str) -> None:
    """The default of `on_line`."""


@dataclass(frozen=True, kw_only=True)
class PulumiCli:
    binary: Path
    project: Path
    """The folder of Pulumi.yaml; stack configurations are written there."""
    variables: Mapping[str, str]
    """The engine's whole environment (`engine_variables`)."""
    on_line: Callable[[str], None] = field(default=_ignore)

    def init(self, stack: str, *, secrets_provider: str = "default") -> None:
        """Makes the stack unless it exists."""
        try:
            self.export(stack)
        except NoSuchStack:
            self._run("stack", "init", "--no-select", "--secrets-provider", secrets_provider, "--stack", stack)

    def up(self, stack: str, *, refresh: bool = False, plan: Path | None = None) -> None:
        """Makes the cloud what the program says. With `refresh`, the state is first updated from the cloud; with a `plan`
        that a preview saved, nothing is done that is not in it. Raises PlanExceeded, and ErrorsReported where it ended well and
        printed errors all the same.
        """
        options = ["--refresh"] if refresh else []
        options += ["--plan", str(plan)] if plan else []
        ended = self._execute("up", "--yes", "--skip-preview", *options, "--stack", stack)
        if plan is not None and EXCEEDS.search(ended.text):
            raise PlanExceeded(f"up --stack {stack} --plan", exit_status=ended.exit_status, lines=ended.lines)
        if ERRORS.search(self._succeeded(ended).text):
            raise ErrorsReported(ended.command, exit_status=ended.exit_status, lines=ended.lines)

    def up_only(self, stack: str, urns: Iterable[str]) -> None:
        """Brings up these resources alone, and raises as `up` does."""
        targets = [part for urn in urns for part in ("--target", urn)]
        self._run("up", "--yes", "--skip-preview", *targets, "--stack", stack)

    def preview(
        self, stack: str, *, refresh: bool = False, expect_no_changes: bool = False, save_plan: Path | None = None
    ) -> Sequence[str]:
        """Returns what `up` would do, line by line, each property named; for `up` also in a file. Raises UnexpectedChanges if
        there should be none.
        """
        options = ["--diff"]
        options += ["--refresh"] if refresh else []
        options += ["--save-plan", str(save_plan)] if save_plan else []
        options += ["--expect-no-changes"] if expect_no_changes else []
        ended = self._execute("preview", *options, "--stack", stack)
        if expect_no_changes and (ended.exit_status == CHANGES or NOT_EXPECTED in ended.text):
            raise UnexpectedChanges(stack, lines=ended.lines)
        return self._succeeded(ended).lines

    def plan(self, stack: str, *, without: Iterable[str] = ()) -> dict[str, Any]:
        """Returns what `up` would do after a refresh, as the CLI's own document (`preview --json`). Writes no state.

        Nothing is said of the resources with the URNs `without`, and they are not looked at.
        """
        excluded = [part for urn in without for part in ("--exclude", urn)]
        return self._read("preview", "--refresh", "--json", *excluded, "--stack", stack)

    def destroy(self, stack: str, *, refresh: bool = False) -> None:
        """Deletes all that the stack made. The stack itself stays, empty."""
        refreshing = ["--refresh"] if refresh else []
        self._run("destroy", "--yes", "--skip-preview", *refreshing, "--stack", stack)

    def remove(self, stack: str) -> None:
        """Removes an empty stack from the backend; its settings, Pulumi.<stack>.yaml, stay."""
        self._run("stack", "rm", "--yes", "--preserve-config", "--stack", stack)

    def outputs(self, stack: str) -> dict[str, Any]:
        return self._read("stack", "output", "--json", "--stack", stack)

    def export(self, stack: str) -> dict[str, Any]:
        """The stack's state (deployment schema, version 3). Takes no lock. Raises NoSuchStack."""
        return self._read("stack", "export", "--stack", stack)

    def drop_pending_operations(self, stack: str) -> None:
        """Drops the operations that a killed command had begun: an import of the state leaves them out."""
        self.replace_state(stack, self.export(stack))

    def replace_state(self, stack: str, state: Mapping[str, Any]) -> None:
        """Makes a document of `export` the stack's state, whatever it was."""
        with _document(state) as file:
            self._run("stack", "import", "--file", file, "--stack", stack)

    def cancel(self, stack: str) -> None:
        """Removes the stack's lock, whoever has it."""
        self._run("cancel", "--yes", "--stack", stack)

    def import_(self, stack: str, resources: Iterable[ImportedResource]) -> None:
        """Takes what exists into the state. Unprotected: the program's own `protect` is applied by the next `up`."""
        with _document(import_document(resources)) as file:
            options = ("--protect=false", "--generate-code=false", "--skip-preview")
            self._run("import", "--yes", *options, "--file", file, "--stack", stack)

    def forget(self, stack: str, urn: Urn) -> None:
        """Takes a resource out of the state. It stays in the cloud."""
        self._run("state", "delete", str(urn), "--yes", "--stack", stack)

    def arguments(self, *command: str) -> list[str]:
        """The command line of `command`, for a caller that starts the process itself."""
        return [str(self.binary), *command, *UNATTENDED, "--cwd", str(self.project)]

    def _run(self, *command: str) -> Ended:
        return self._succeeded(self._execute(*command), command)

    def _read(self, *command: str) -> dict[str, Any]:
        ended = self._succeeded(self._execute(*command, quiet=True), command)
        document: dict[str, Any] = json.loads(ended.stdout)
        return document

    def _execute(self, *command: str, quiet: bool = False) -> Ended:
        return run(
            self.arguments(*command),
            variables=self.variables,
            on_line=None if quiet else self.on_line,
            shown_as=command[0] if command[0] != "stack" else " ".join(command[:2]),
        )

    def _succeeded(self, ended: Ended, command: Sequence[str] = ()) -> Ended:
        if ended.exit_status == 0:
            return ended
        if locks := Lock.all_of(ended.text):
            raise StackLocked(ended.command, exit_status=ended.exit_status, lines=ended.lines, locks=locks)
        if NO_LOGIN in ended.text:
            named = {"stack": command[command.index("--stack") + 1]} if "--stack" in command else {}
            raise NotLoggedIn(ended.command, exit_status=ended.exit_status, lines=ended.lines, **named)
        kind = NoSuchStack if ended.exit_status == NO_SUCH_STACK else CommandFailed
        raise kind(ended.command, exit_status=ended.exit_status, lines=ended.lines)


@contextmanager
def _document(content: Mapping[str, Any]) -> Iterator[str]:
    """A JSON document for one command: the CLI reads its input from files."""
    with tempfile.TemporaryDirectory(prefix="firnline-pulumi-") as folder:
        file = Path(folder, "document.json")
        file.write_text(json.dumps(content))
        yield str(file)
