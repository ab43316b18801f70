"""An environment's program, and what the embedded AWS was asked for meanwhile."""

from typing import Any

from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_local.provisioning import program_of
from firnline_local.pulumi.in_process.application import ProgramApplication
from firnline_local.running import RunningEnvironment
from tests.iam.request import Access
from tests.iam.running import calls_of


class Watched:
    """An application of one environment's program, and what AWS was asked meanwhile."""

    def __init__(self, environment: RunningEnvironment) -> None:
        self.environment = environment
        self.application = ProgramApplication(environment)
        self._mark = calls_of(environment).mark

    def up(self, spec: EnvironmentSpec) -> dict[str, Any]:
        """The stack's outputs."""

        program = program_of(spec, role=str(Names.of(spec).deploy_role))
        return self.application.up(program, stack=spec.name, project="rights")

    def accesses(self) -> list[Access]:
        """Since the last time."""
        seen = calls_of(self.environment, self._mark)
        assert seen.dropped == 0
        self._mark = seen.mark
        return [access for call in seen.calls for access in call.accesses]
