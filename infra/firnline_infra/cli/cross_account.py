"""`firnline cross-account`: the roles and policies that owners of streams in other accounts make, as commands."""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
def cross_account(environment: Path) -> None:
    """Generate the policies for streams in other accounts.

    For each stream that a role opens: the role, whom it trusts, and its policy, as commands for the stream's account. No account
    is asked for anything.
    """
    from firnline_infra.blueprint.cross_account import handed_over
    from firnline_infra.environment import Environment
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    parts = list(handed_over(Environment.of(spec)))
    nothing = (
        f"Every stream of {spec.name} is opened by the engine's own rights. The grants of Snowflake's owners: "
        f"firnline bootstrap {environment}."
    )
    click.echo("\n".join(parts) if parts else nothing)
