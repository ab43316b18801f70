"""`firnline local terraform`"""

from pathlib import Path

import click

from firnline_local.cli.options import folder_option


@click.command(context_settings={"ignore_unknown_options": True})
@folder_option
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
def terraform(folder: Path, arguments: tuple[str, ...]) -> None:
    """Run Terraform or OpenTofu against this environment.

    The machine's own CLI, on any module: hashicorp/aws and snowflakedb/snowflake are served here for as long as it runs, and
    check what they are given by the providers' schemas. Its state is where the module says; an S3 backend has no bucket here.

    \b
    For example:
      firnline local terraform -- -chdir=stacks/terraform/dev init -backend=false
      firnline local terraform -- -chdir=stacks/terraform/dev validate
    """
    import os
    import subprocess

    from firnline_infra.terraform.cli import find_terraform
    from firnline_local.running import RunningEnvironment
    from firnline_local.terraform.serving import providing

    binary, environment = find_terraform(), RunningEnvironment.attach(folder)
    with providing(environment) as providers:
        variables = {**os.environ, **environment.variables, **providers}
        raise SystemExit(subprocess.run([binary, *arguments], env=variables, check=False).returncode)
