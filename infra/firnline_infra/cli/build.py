"""`firnline build`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@accounts_options
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A new or empty folder, or one with an earlier artefact.",
)
@click.option("--python", help="The cluster's: 3.11, 3.12 or 3.13; the specification's by default.")
@click.option("--architecture", help="The cluster's: x86_64 or arm64; the specification's by default.")
@click.option("--spark", help="The cluster's version of Spark; that of the specification's release by default.")
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with every wheel, if no package index can be reached.",
)
@click.option(
    "--native",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="WHEEL",
    help="A wheel of firnline-native for the cluster's architecture, which becomes part of the archive; the specification's by "
    "default.",
)
@click.option(
    "--image", metavar="NAME", help="Builds the image too, under this name and tag, with docker, podman or buildah."
)
@click.option(
    "--base", metavar="IMAGE", help="Of the image; the Spark project's of the specification's version by default."
)
@click.option(
    "--push",
    is_flag=True,
    help="Pushes the image, and prints its digest; without --image into the repository that the environment has in ECR.",
)
def build(
    environment: Path,
    accounts: ChosenAccounts,
    into: Path,
    *,
    python: str | None,
    architecture: str | None,
    spark: str | None,
    wheels: Path | None,
    native: Path | None,
    image: str | None,
    base: str | None,
    push: bool,
) -> None:
    """Build the engine's artefact.

    An archive with all that it needs, and an entry script. For the Python and architecture of the specification's runtime,
    whatever this machine is; the same inputs give the same bytes. Needs a package index the first time, or --wheels.

    \b
    For example:
      firnline build dev --into build/dev
      firnline build dev --into build/dev --push \\
        --image 123456789012.dkr.ecr.eu-central-1.amazonaws.com/firnline:1
    """
    from firnline_infra.artefact import build as build_artefact
    from firnline_infra.artefact import native_wheel_of, target_of_specification
    from firnline_infra.artefact.image import build_image
    from firnline_infra.artefact.repository import image_in_repository
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    if image is None and (base or (push and not spec.aws.runtime.has_repository)):
        raise click.UsageError("--base and --push are the image's; give --image.")
    target = target_of_specification(spec, python=python, architecture=architecture, spark=spark)
    native = native or native_wheel_of(spec, target, click.echo)
    built = build_artefact(into, target, wheels=wheels, native=native, modules=spec.aws.runtime.modules)
    size = built.archive.stat().st_size
    click.echo(
        f"{built.archive}\n  {target}, Spark {target.spark}: {len(built.manifest.packages)} packages, {size / 1e6:.0f} MB"
    )
    if image is None:
        if push:
            click.echo(image_in_repository(spec, accounts.of(spec).aws("ecr"), built, click.echo))
        return

    found = build_image(built, image, base=base, push=push, say=click.echo)
    click.echo(f"aws.runtime.kubernetes.image: {found}" if push else f"{found} is built; --push gives it a digest.")
