"""`firnline local fault`"""

from pathlib import Path

import click

from firnline_infra.cli.finite_range import FiniteRange
from firnline_infra.cli.output import output_option, show
from firnline_local.cli.options import folder_option


@click.command()
@click.argument("endpoint", required=False)
@click.option(
    "--kind",
    type=click.Choice(["ERROR", "CUT", "SLOW", "LOST"], case_sensitive=False),
    default="ERROR",
    show_default=True,
    help="Refuse; cut the connection; answer late; take effect, then cut the connection.",
)
@click.option(
    "--status", type=click.IntRange(400, 599), default=500, show_default=True, help="HTTP status of an ERROR."
)
@click.option(
    "--code", default="", help="The service's name of an ERROR, such as ProvisionedThroughputExceededException."
)
@click.option("--message", default="", help="The message of an ERROR.")
@click.option("--delay-s", type=FiniteRange(min=0), default=0.0, help="Seconds that the answer is held back.")
@click.option("--every", type=click.IntRange(min=1), default=1, show_default=True, help="Hit each n-th call.")
@click.option("--times", type=click.IntRange(min=1), help="Hit so often in all; without end by default.")
@click.option("--after", type=click.IntRange(min=0), default=0, help="Leave the first n calls alone.")
@click.option("--clear", is_flag=True, help="Remove every fault instead.")
@output_option()
@folder_option
def fault(endpoint: str | None, clear: bool, folder: Path, output: str, **how: object) -> None:
    """Make calls fail: add a fault, and show all there are.

    ENDPOINT is a pattern over service:Operation, such as kinesis:GetRecords, dynamodb:* or snowflake:append. Adding one
    starts the counting of all anew.

    \b
    For example:
      firnline local fault kinesis:GetRecords --status 500 --every 3
      firnline local fault --clear
    """
    from firnline_ingest.terminal import text_table
    from firnline_local.running import RunningEnvironment

    environment = RunningEnvironment.attach(folder)
    if endpoint is not None:
        _check(endpoint)
    if clear:
        environment.set_faults([])
    if endpoint is not None:
        environment.add_fault(endpoint=endpoint, **how)
    columns = ("endpoint", "kind", "status", "every", "times", "after", "calls", "hits")
    found = environment.faults()
    rows = [[planned[column] for column in columns] for planned in found]
    show(output, lambda: found, lambda: text_table(columns, rows) if rows else "No faults.")


def _check(endpoint: str) -> None:
    """Raises click.BadParameter for an operation that the AWS service does not have: nothing would ever be hit."""
    from botocore.session import Session

    from firnline_ingest.errors import did_you_mean

    service, colon, operation = endpoint.partition(":")
    services = Session().get_available_services()
    if not colon:
        raise click.BadParameter(f"{endpoint!r} must be service:Operation, such as kinesis:GetRecords or dynamodb:*")
    if service in services and not set("*?[") & set(operation):
        names = Session().get_service_model(service).operation_names
        if operation not in names:
            raise click.BadParameter(f"{service} has no operation {operation!r}; {did_you_mean(operation, names)}")
