"""`firnline keys rotate`"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.keys.user_argument import user_argument

if TYPE_CHECKING:
    from firnline_infra.keys.rotate import Done
    from firnline_infra.keys.subject import Subject

WAITING = 3


@click.command()
@environment_argument
@user_argument
@accounts_options
@click.option(
    "--wait",
    "wait_s",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=0.0,
    help="How long to wait for the engine to take up the new key.",
)
def rotate(environment: Path, user: str, accounts: ChosenAccounts, wait_s: float) -> None:
    """Replace the key of USER while it is in use.

    The engine's where absent. Run it again after each step that it names; what is to be done next follows from what it
    finds. Exit status: 0 the rotation is complete, 3 it waits for what the last line says.
    """
    from firnline_infra.keys import Rotation
    from firnline_infra.keys.steps import Step
    from firnline_infra.keys.subject import Subject
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    typed = accounts.env_argument(environment)
    subject = Subject.of(spec, environment, user, environment=typed)
    step = None
    for done in Rotation(subject=subject, accounts=accounts.of(spec)).advance(wait_s=wait_s):
        step = done.step
        click.echo(_said(done, subject))
    raise SystemExit(0 if step is Step.FORGET else WAITING)


def _said(done: "Done", subject: "Subject") -> str:
    from firnline_infra.keys.steps import Step

    file, again = subject.file.path, f"firnline keys rotate {subject.environment} {subject.user}"
    up = f"commit {file}, then firnline up {subject.environment}, then again: {again}"
    match done.step:
        case Step.STAGE:
            return f"Made key {done.fingerprint}; its private half waits in the secret."
        case Step.RECORD:
            return f"Wrote its public half into {file}."
        case Step.PROMOTE:
            return f"Snowflake has both keys. The secret's current key is now {done.fingerprint}."
        case Step.RETIRE:
            return f"Everything uses {done.fingerprint}. Took the old key out of {file}."
        case Step.FORGET:
            return f"Complete: {done.fingerprint} is the only key, in the file, the secret and Snowflake."
        case Step.REGISTER:
            return f"Snowflake does not have every key of {file} yet. Next: {up}"
        case Step.UNREGISTER:
            return f"Snowflake still has a key that {file} no longer has. Next: {up}"
        case Step.TAKE_UP:
            return f"{_not_taken_up(done)} Next: {again} --wait 300"


def _not_taken_up(done: "Done") -> str:
    if done.in_use is None:
        return "No engine was seen with a key since it was started; start it, so that it can be seen with the new one."
    return f"The engine still uses {', '.join(sorted(done.in_use - {done.fingerprint}))}; it looks for a new key each minute."
