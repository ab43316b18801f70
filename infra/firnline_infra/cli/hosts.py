"""`firnline hosts`"""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.output import output_option, show


@click.command()
@environment_argument
@click.option("--for", "party", type=click.Choice(["engine", "ci", "operator"]), help="Only what one of them needs.")
@output_option()
def hosts(environment: Path, party: str | None, output: str) -> None:
    """List the hosts that must be reachable.

    For firewalls and VPC endpoints: of the engine, of CI, of its operators. No account is asked for anything;
    `firnline doctor` tries them.
    """
    from dataclasses import asdict

    from firnline_infra.blueprint.network import egress as egress_of
    from firnline_infra.environment import Environment
    from firnline_infra.specification import load_spec
    from firnline_ingest.terminal import text_table

    found = [
        each for each in egress_of(Environment.of(load_spec(environment))) if party is None or party in each.needed_by
    ]
    rows = [(each.host, str(each.port), " ".join(each.needed_by), each.why, each.endpoint) for each in found]
    columns = ("host", "port", "for", "why", "VPC endpoint")
    show(output, lambda: [asdict(each) for each in found], lambda: text_table(columns, rows))
