"""`firnline build`"""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A new or empty folder, or one with an earlier artefact.",
)
@click.option("--python", help="The cluster's: 3.11, 3.12 or 3.13; what the specification says where absent.")
@click.option("--architecture", help="The cluster's: x86_64 or arm64; what the specification says where absent.")
@click.option("--spark", help="The cluster's version of Spark; that of the specification's release where absent.")
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with every wheel, where no package index can be reached.",
)
def build(
    environment: Path,
    into: Path,
    *,
    python: str | None,
    architecture: str | None,
    spark: str | None,
    wheels: Path | None,
) -> None:
    """Build the engine's artefact.

    An archive with all that it needs, and an entry script. For the Python and architecture of the specification's runtime,
    whatever this machine is; the same inputs give the same bytes. Needs a package index the first time, or --wheels.
    """
    from firnline_infra.build import build as build_artefact
    from firnline_infra.build import target_of_specification
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    target = target_of_specification(spec, python=python, architecture=architecture, spark=spark)
    built = build_artefact(into, target, wheels=wheels, modules=spec.aws.runtime.modules)
    size = built.archive.stat().st_size
    click.echo(
        f"{built.archive}\n  {target}, Spark {target.spark}: {len(built.manifest.packages)} packages, {size / 1e6:.0f} MB"
    )
