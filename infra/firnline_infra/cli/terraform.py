"""`firnline terraform`"""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import env_argument, environment_argument
from firnline_ingest.errors import UsageError

DIFFERS = 3


@click.command()
@environment_argument
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="The module's folder: its *.tf.json of these names are overwritten, and nothing else is touched. A root module's is "
    "stacks/terraform/NAME by default, which `firnline up` looks for.",
)
@click.option(
    "--layout",
    type=click.Choice(["root", "registry"]),
    default="root",
    show_default=True,
    help="A root module, which `firnline up` applies; or one to publish and call, with README.md, variables and an example.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit status 3 where a file is not as it would be written.")
def terraform(environment: Path, into: Path | None, layout: str, check: bool) -> None:
    """Write ENV as a Terraform module.

    Plain JSON, the same for the same specification: review and commit it. It makes what `firnline up` makes with Pulumi; the
    engine's configuration is an output, and `firnline up` or `deploy` puts it into the bucket. No account is asked.

    \b
    For example:
      firnline terraform dev
      terraform -chdir=stacks/terraform/dev apply
      firnline terraform dev --layout registry --into terraform-aws-firnline-dev
    """
    from firnline_infra.accounts.real import MODULES, module_of
    from firnline_infra.specification import load_spec
    from firnline_infra.specification.prerequisites import encryption_key_missing, missing_keys
    from firnline_infra.terraform import differing, differing_from_layout, write_layout, write_module

    if into is None and layout == "registry":
        raise UsageError(
            "A module to publish has no folder of its own here.",
            next_step="name one by --into, such as --into terraform-aws-firnline-dev: a registry takes the repository's name.",
        )
    spec = load_spec(environment)
    into = into or MODULES / spec.name
    for missing in filter(None, (missing_keys(spec), encryption_key_missing(spec))):
        click.echo(f"An `apply` would create what nobody can use yet. {missing}", err=True)
    find, write = (differing_from_layout, write_layout) if layout == "registry" else (differing, write_module)
    changed = find(spec, into)
    if check:
        for name in changed:
            click.echo(f"{into / name} is not as {environment} says.")
        raise SystemExit(DIFFERS if changed else 0)
    is_new = module_of(spec.name) is None
    write(spec, into)
    click.echo(f"{into}: " + (", ".join(changed) + " written" if changed else "nothing has changed"))
    if is_new and module_of(spec.name) == into:
        click.echo(
            f"From now on `firnline up {env_argument(environment)}` runs Terraform or OpenTofu here; without {into} it runs "
            "Pulumi."
        )
