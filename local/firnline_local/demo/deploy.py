"""The part of the demo that `--pulumi` adds: the real engine makes the environment, as `firnline up` does for an account."""

from pathlib import Path
from typing import TYPE_CHECKING

from firnline_local.demo.screen import Screen

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment


def deploy(environment: "RunningEnvironment", spec_file: Path, screen: Screen) -> None:
    """Raises what `firnline up` raises, CliMissing first of all."""
    from firnline_infra.stack.deployment import Deployment
    from firnline_local.accounts import EmbeddedAccounts

    screen.step("pulumi up: the real engine makes all that the specification asks for")
    lines: list[str] = []
    deployment = Deployment.of(spec_file, str(spec_file), EmbeddedAccounts(environment), lines.append)
    deployment.up()
    for line in lines[-8:]:  # the summary
        screen.say(line)
