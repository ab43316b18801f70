"""What is in an embedded environment when it starts: the role that deploys, and all that the specification asks for.

The one is what an administrator does before the first `up`, the other what `up` makes, by the same program.
"""

from contextlib import closing

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.bootstrap.snowflake import role_statements
from firnline_infra.local.materialise.clients import Clients
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.spec.model import EnvironmentSpec

PROJECT = "firnline"


def bootstrap(environment: RunningEnvironment, spec: EnvironmentSpec) -> None:
    """The administrator gets the deploy role too, because its key is the one that providers connect with here."""
    administrator = environment.logins["admin"]
    deploy_role = blueprint_of(spec).names.deploy_role.sql
    with closing(Clients(environment.endpoints, administrator)) as clients:
        clients.execute(*role_statements(spec, blueprint_of(spec)))
        clients.execute(f"GRANT ROLE {deploy_role} TO USER {administrator.user}")


def furnish(environment: RunningEnvironment, spec: EnvironmentSpec) -> None:
    """Applies the Pulumi program in this process. Raises a LocalError for what is refused."""
    import pulumi

    from firnline_infra.local.pulumi.apply import Application
    from firnline_infra.pulumi import environment as render
    from firnline_infra.pulumi import providers

    def program() -> None:
        render(spec, pulumi.ResourceOptions(providers=providers(spec)))

    Application(environment).up(program, stack=spec.name, project=PROJECT)
