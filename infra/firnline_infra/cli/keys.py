"""`firnline keys`: the key pairs with which the engine and the reader log in to Snowflake."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import complete_users, environment_argument
from firnline_infra.cli.finite_range import FiniteRange
from firnline_infra.cli.lazy_group import LazyGroup

if TYPE_CHECKING:
    from firnline_infra.keys.owner import KeyOwner
    from firnline_infra.keys.rotate import DoneStep

WAITING = 3
user_argument = click.argument("user", default="ingest", shell_complete=complete_users)


@click.group(cls=LazyGroup)
def keys() -> None:
    """Create and rotate key pairs.

    Private halves are in Secrets Manager and nowhere else.
    """


@keys.command()
@environment_argument
@user_argument
@accounts_options
@click.option("--aws", is_flag=True, help="An access key for the engine's IAM user instead (trust: static-keys).")
def create(environment: Path, user: str, accounts: ChosenAccounts, aws: bool) -> None:
    """Make the first key of USER.

    USER is ingest (the engine by default), reader, or a stream whose pipeline has a user of its own.
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
    from firnline_infra.keys.encryption_key import record_encryption_key
    from firnline_infra.keys.owner import KeyOwner

    typed = accounts.env_argument(environment)
    owner = KeyOwner.of(spec, environment, user, environment=typed)
    _ = owner.secret  # a user that the specification has not is refused before anybody logs in
    chosen = accounts.of(spec)
    # In those that begin empty nobody applied a bootstrap, and the key of today is not tomorrow's.
    if not chosen.begin_empty and (arn := record_encryption_key(spec, owner.file, chosen, environment=typed)):
        click.echo(f"The environment's key is {arn}, written into {owner.file.path}")
    created = create_key(owner, chosen)
    was_there = " (it was there already; the file did not know it)" if created.was_there else ""
    click.echo(f"Key {created.fingerprint} of {owner.principal.user}{was_there}")
    if created.replaced_arn:
        click.echo(f"  in place of the file's key in {created.replaced_arn}, which these accounts do not have")
    click.echo(f"  private half: {created.secret_arn}")
    click.echo(f"  public half:  {owner.file.path}")
    commit = (
        "" if chosen.begin_empty else f"commit {owner.file.path}, then "
    )  # what opens nothing tomorrow is no one's to review
    click.echo(f"Next: {commit}{registers(owner)}")


@keys.command()
@environment_argument
@user_argument
@accounts_options
@click.option(
    "--wait",
    "wait_s",
    metavar="SECONDS",
    type=FiniteRange(min=0),
    default=0.0,
    help="How long to wait for the engine to take up the new key.",
)
def rotate(environment: Path, user: str, accounts: ChosenAccounts, wait_s: float) -> None:
    """Replace the key of USER while it is in use.

    USER is ingest (the engine by default), reader, or a stream.
    Run it again after each step that it names; what is to be done next follows from what it
    finds. Exit status: 0 the rotation is complete, 3 it waits for what the last line says.
    """
    from firnline_infra.keys import Rotation
    from firnline_infra.keys.owner import KeyOwner
    from firnline_infra.keys.steps import RotationStep
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    typed = accounts.env_argument(environment)
    owner = KeyOwner.of(spec, environment, user, environment=typed)
    step = None
    for done in Rotation(owner=owner, accounts=accounts.of(spec)).advance(wait_s=wait_s):
        step = done.step
        click.echo(_said(done, owner))
    raise SystemExit(0 if step is RotationStep.FORGET else WAITING)


def registers(owner: "KeyOwner") -> str:
    """Returns what gives Snowflake the public halves: `up`, or the owner of an adopted user."""
    if owner.named.is_made:
        return f"firnline up {owner.environment}"
    keys = owner.file.of(owner.user)
    slots = {"RSA_PUBLIC_KEY": keys.slot_1, "RSA_PUBLIC_KEY_2": keys.slot_2}
    said = (f"SET {name} = '{key}'" if key else f"UNSET {name}" for name, key in slots.items())
    statements = "; ".join(f"ALTER USER {owner.principal.user.sql} {each}" for each in said)
    return f"the owner of {owner.principal.user} runs: {statements};"


def _said(done: "DoneStep", owner: "KeyOwner") -> str:
    from firnline_infra.keys.steps import RotationStep

    file, again = owner.file.path, f"firnline keys rotate {owner.environment} {owner.user}"
    up = f"commit {file}, then {registers(owner)}, then again: {again}"
    match done.step:
        case RotationStep.STAGE:
            return f"Made key {done.fingerprint}; its private half waits in the secret."
        case RotationStep.RECORD:
            return f"Wrote its public half into {file}."
        case RotationStep.PROMOTE:
            return f"Snowflake has both keys. The secret's current key is now {done.fingerprint}."
        case RotationStep.RETIRE:
            return f"Everything uses {done.fingerprint}. Took the old key out of {file}."
        case RotationStep.FORGET:
            return f"Complete: {done.fingerprint} is the only key, in the file, the secret and Snowflake."
        case RotationStep.REGISTER:
            return f"Snowflake does not have every key of {file} yet. Next: {up}"
        case RotationStep.UNREGISTER:
            return f"Snowflake still has a key that {file} no longer has. Next: {up}"
        case RotationStep.TAKE_UP:
            return f"{_not_taken_up(done)} Next: {again} --wait 300"


def _not_taken_up(done: "DoneStep") -> str:
    if done.in_use is None:
        return "No engine was seen with a key since it was started; start it, so that it can be seen with the new one."
    return f"The engine still uses {', '.join(sorted(done.in_use - {done.fingerprint}))}; it looks for a new key each minute."
