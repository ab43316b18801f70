"""`--local` and `--folder`: how a person asks a command of `firnline` for the embedded accounts."""

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from firnline_local.cli.options import folder_of_environment
from firnline_local.folder import DEFAULT_FOLDER

if TYPE_CHECKING:
    from firnline_infra.accounts import Accounts
    from firnline_infra.specification import EnvironmentSpec


class EmbeddedPlace:
    """Either option means the embedded environment. An AccountsPlace of the command line."""

    parameters = ("local", "folder")

    def add_options(self, command: Callable[..., Any]) -> Callable[..., Any]:
        folder = folder_of_environment(
            f"The embedded environment that runs in this folder; {DEFAULT_FOLDER} with --local alone."
        )
        local = click.option("--local", is_flag=True, help="The embedded environment instead of real accounts.")
        return local(folder(command))

    def options_text(self, values: Mapping[str, Any]) -> str:
        if values["folder"] is not None:
            return f"--folder {shlex.quote(str(values['folder']))}"
        return "--local" if values["local"] else ""

    def accounts(self, spec: "EnvironmentSpec", values: Mapping[str, Any]) -> "Accounts":
        """Terraform makes there what it makes elsewhere: an environment that has a module, but for the one that `local up` has
        made, which is Pulumi's. Its providers are served while the command runs. Raises NoEnvironment or StaleEnvironment.
        """
        from firnline_infra.accounts.real import module_of
        from firnline_infra.specification.names import Names
        from firnline_local.accounts import EmbeddedAccounts
        from firnline_local.running import RunningEnvironment

        environment = RunningEnvironment.attach(values["folder"] or DEFAULT_FOLDER)
        role = Names.of(spec).deploy_role.name

        def bootstrapped() -> None:
            from firnline_local.provisioning import bootstrap

            bootstrap(environment, spec)

        if module_of(spec.name) is None or environment.has_made(spec.name):
            return EmbeddedAccounts(environment, role, bootstrap=bootstrapped)
        from firnline_local.terraform.serving import providing

        providers = click.get_current_context().with_resource(providing(environment))
        return EmbeddedAccounts(environment, role, terraform_providers=providers, bootstrap=bootstrapped)


PLACE = EmbeddedPlace()
