"""Tools of the demo by `--pulumi` and `--terraform`: the real one makes the environment, as `firnline up` does."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_local.demo.screen import Screen

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment


def providers_of(
    environment: "RunningEnvironment", *, by_terraform: bool
) -> AbstractContextManager[Mapping[str, str] | None]:
    """The variables by which Terraform finds its providers, while they are served; None for Pulumi."""
    from firnline_local.terraform.serving import providing

    return providing(environment) if by_terraform else nullcontext()


def deploy(environment: "RunningEnvironment", spec_file: Path, screen: Screen, *, by_terraform: bool) -> None:
    """Raises what `firnline up` raises, CliMissing or TerraformMissing first of all."""
    from firnline_infra.stack.deployment import Deployment
    from firnline_local.accounts import EmbeddedAccounts

    tool = "terraform apply: the real CLI" if by_terraform else "pulumi up: the real engine"
    screen.step(f"{tool} makes all that the specification asks for")
    lines: list[str] = []
    with providers_of(environment, by_terraform=by_terraform) as providers:
        accounts = EmbeddedAccounts(environment, terraform_providers=providers)
        Deployment.of(spec_file, str(spec_file), accounts, lines.append).up()
    applied = [line for line in lines if line.startswith("Apply complete!")]  # Terraform prints its outputs after that
    for line in applied or lines[-8:]:
        screen.say(line)
