"""`firnline keys create`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.keys.user_argument import user_argument


@click.command()
@environment_argument
@user_argument
@accounts_options
@click.option("--aws", is_flag=True, help="An access key for the engine's IAM user instead (trust: static-keys).")
def create(environment: Path, user: str, accounts: ChosenAccounts, aws: bool) -> None:
    """Make the first key of USER (the engine where absent).

    The private half goes straight into Secrets Manager, the public half into a file beside the specification; review
    and commit that. Nothing is overwritten, and a run that was interrupted can be repeated. In accounts that begin empty
    with each start, the file's key of an earlier start is replaced.
    """
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    if aws:
        from firnline_infra.keys.access_key import create_access_key

        made = create_access_key(spec, accounts.of(spec))
        click.echo(f"Access key {made.key_id} of IAM user {made.user} is in secret {made.secret_arn}.")
        return
    from firnline_infra.keys import create_key
    from firnline_infra.keys.subject import Subject

    typed = accounts.env_argument(environment)
    subject = Subject.of(spec, environment, user, environment=typed)
    created = create_key(subject, accounts.of(spec))
    was_there = " (it was there already; the file did not know it)" if created.was_there else ""
    click.echo(f"Key {created.fingerprint} of {subject.principal.user}{was_there}")
    if created.replaced_arn:
        click.echo(f"  in place of the file's key in {created.replaced_arn}, which these accounts do not have")
    click.echo(f"  private half: {created.secret_arn}")
    click.echo(f"  public half:  {subject.file.path}")
    click.echo(f"Next: commit {subject.file.path}, then firnline up {subject.environment}")
