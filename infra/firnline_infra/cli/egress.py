"""`firnline egress`"""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@click.option("--for", "party", type=click.Choice(["engine", "ci", "operator"]), help="Only what one of them needs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a table.")
def egress(environment: Path, party: str | None, as_json: bool) -> None:
    """List the hosts that must be reachable.

    For firewalls and VPC endpoints: of the engine, of CI, of whoever operates it. No account is asked for anything;
    `firnline doctor` tries them.
    """
    import json
    from dataclasses import asdict

    from firnline_infra.blueprint.network import egress as egress_of
    from firnline_infra.specification import load_spec
    from firnline_ingest.terminal import text_table

    found = [each for each in egress_of(load_spec(environment)) if party is None or party in each.needed_by]
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], indent=2))
        return
    rows = [(each.host, str(each.port), " ".join(each.needed_by), each.why, each.endpoint) for each in found]
    click.echo(text_table(("host", "port", "for", "why", "VPC endpoint"), rows))
