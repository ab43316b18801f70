"""Applies a Pulumi program to an embedded environment, without the engine: the same checks, the same providers.

What was made is kept in the Application: applied again, it changes what differs, as `pulumi up --refresh` does, and it can
take everything away again. Calls are plain and synchronous, from any thread.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from firnline_local.pulumi.in_process.deployment import Deployment, Record
from firnline_local.pulumi.in_process.monitor import Monitor
from firnline_local.pulumi.in_process.program import Program, project_of, run

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment


class ProgramApplication:
    """A program in an environment. `resources`: what it made there before, where that is known."""

    def __init__(self, environment: "RunningEnvironment", *, resources: Iterable[Record] = ()) -> None:
        self.resources = list(resources)
        """In the order in which they were made; also after a failure."""
        self.outputs: dict[str, Any] = {}
        self.secret_outputs: frozenset[str] = frozenset()
        """The outputs that are not to be shown."""
        self._environment = environment

    def up(
        self,
        program: Program,
        *,
        stack: str,
        project: str | None = None,
        config: Mapping[str, str] | None = None,
        stacks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """The stack's outputs, once all is made. `program`: a folder or a file, or a callable.

        `config` is the stack's, with full names (`aws:region`); `stacks` are the outputs of others, for references to them.
        Raises what the program raises, and a LocalError for what is refused. What was made until then stays.
        """
        project, config = project or project_of(program), config or {}
        with closing(Deployment(self._environment, config=config, records=self.resources)) as deployment:
            monitor = Monitor(deployment, project=project, stack=stack, stacks=stacks or {})
            try:
                run(program, monitor, project=project, stack=stack, config=config)
                deployment.delete_the_unnamed()
            finally:
                self.resources = deployment.records
        self.outputs, self.secret_outputs = monitor.outputs, monitor.secret_outputs
        return self.outputs

    def destroy(self, *, config: Mapping[str, str] | None = None) -> None:
        """Takes away what was made, last made first. Raises DeletionRefused or ServiceRefused; the rest stays known."""
        with closing(Deployment(self._environment, config=config or {}, records=self.resources)) as deployment:
            try:
                deployment.delete_the_unnamed()
            finally:
                self.resources = deployment.records
        self.outputs = {}
