"""`firnline estimate ENV`: what an environment's engine needs and costs, before anything is made."""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.finite_range import FiniteRange
from firnline_infra.cli.output import output_option, show


@click.command()
@environment_argument
@click.option("--shards", type=click.IntRange(min=1), help="In place of the specification's.")
@click.option(
    "--mb-per-second",
    type=FiniteRange(min=0, min_open=True),
    help="Of all shards together, on average. 0.3 for each shard by default: a third of what a shard takes.",
)
@click.option(
    "--record-bytes",
    type=FiniteRange(min=0, min_open=True),
    help="A record's size on average; with it, the metadata of rows is counted as ingested.",
)
@output_option()
def estimate(
    environment: Path, shards: int | None, mb_per_second: float | None, record_bytes: float | None, output: str
) -> None:
    """Estimate sizing and cost.

    The costs are a month's, beside those of Firehose and of Snowflake's managed connector. No account is asked for anything;
    the prices are in the toolkit, each with its date and source.

    \b
    For example:
      firnline estimate prod --shards 500 --mb-per-second 120
    """
    from firnline_infra.estimate.cost import costs
    from firnline_infra.estimate.load import Load
    from firnline_infra.estimate.text import estimate_document, estimate_text
    from firnline_infra.specification import load_spec
    from firnline_infra.specification.runtimes.options import Architecture

    spec = load_spec(environment)
    load = Load.of(spec, shards=shards, mb_per_s=mb_per_second, record_bytes=record_bytes)
    section = spec.aws.runtime.job
    kind = spec.aws.runtime.kind or "emr_serverless"
    found = costs(load, kind, section.architecture if section else Architecture.ARM64)
    show(output, lambda: estimate_document(load, found), lambda: estimate_text(load, found))
