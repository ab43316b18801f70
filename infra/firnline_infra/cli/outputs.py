"""`firnline outputs`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.output import output_option, show

ENGINE_CONFIG = "engine_config"


@click.command()
@environment_argument
@accounts_options
@output_option()
@click.option("--engine-config", is_flag=True, help="The document that the engine reads, and nothing else.")
@click.option(
    "--kubernetes",
    is_flag=True,
    help="The objects that the namespace needs around a Spark application, as YAML to apply.",
)
@click.option(
    "--kubernetes-deployer",
    metavar="GROUP",
    help="The Role of the namespace that `firnline deploy` needs, bound to GROUP, for an administrator to apply.",
)
def outputs(
    environment: Path,
    accounts: ChosenAccounts,
    *,
    output: str,
    engine_config: bool,
    kubernetes: bool,
    kubernetes_deployer: str | None,
) -> None:
    """Show ARNs, names and the engine's configuration of ENV.

    Nothing of it is secret. With --kubernetes and --kubernetes-deployer no account is asked.

    \b
    For example:
      firnline outputs dev --engine-config > engine.json
      firnline outputs dev --kubernetes | kubectl apply -f -
      firnline outputs dev --kubernetes-deployer ci | kubectl apply -f -
    """
    import json

    if kubernetes or kubernetes_deployer:
        click.echo(_kubernetes_yaml(environment, kubernetes_deployer), nl=False)
        return

    from firnline_infra.cli.deployment import deployment
    from firnline_ingest.terminal import text_table

    made = deployment(environment, accounts, quiet=True)
    if engine_config:
        click.echo(json.dumps(made.engine_config(), indent=2))
        return
    found = made.outputs()
    rows = [(name, _text(value)) for name, value in sorted(found.items()) if name != ENGINE_CONFIG]
    show(output, lambda: found, lambda: text_table(("output", "value"), rows))


def _text(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value)


def _kubernetes_yaml(environment: Path, deployer: str | None) -> str:
    import yaml

    from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import deployer_role, kubernetes_prerequisites
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    objects = deployer_role(spec, group=deployer) if deployer else kubernetes_prerequisites(spec)
    return yaml.safe_dump_all(objects, explicit_start=True, sort_keys=False)
