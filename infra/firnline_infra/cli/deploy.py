"""`firnline deploy`"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument

if TYPE_CHECKING:
    from firnline_infra.rollout.loop import Deployed


@click.command()
@environment_argument
@accounts_options
@click.option(
    "--artefact",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder written by `firnline build`. By default the installed engine is built.",
)
@click.option(
    "--outputs",
    type=click.File(encoding="utf-8"),
    help="The output of `terraform output -json`, if the environment is a module in your own root module; - is stdin.",
)
@click.option(
    "--render",
    is_flag=True,
    help="Print what would be applied (a SparkApplication with its objects, or EMR's request), and start nothing.",
)
@click.option("--rollback", is_flag=True, help="Deploy the previous deployment again, as recorded in the bucket.")
def deploy(
    environment: Path,
    *,
    accounts: ChosenAccounts,
    artefact: Path | None,
    outputs: TextIO | None,
    render: bool,
    rollback: bool,
) -> None:
    """Deploy the engine.

    If an engine is running, starts the new one beside it, then drains the old one: it stops once its rows are proven, the new one
    takes over, and the command waits until it reads. If the new engine does not come up, nothing is stopped; if it does not
    read, the old one is started again. Does nothing if the same engine is running already. If the command was killed, run it
    again: it continues.

    \b
    For example:
      firnline deploy dev
      firnline deploy dev --rollback
      firnline deploy dev --render > gitops/engine.yaml
      terraform output -json dev | firnline deploy dev --outputs -
    """
    from firnline_infra.cli.rollout import engine_of, outputs_in

    if rollback and artefact is not None:
        raise click.UsageError("--rollback runs what was deployed before; leave --artefact out.")
    if rollback and render:
        raise click.UsageError("--render prints the specified deployment; leave --rollback out.")
    say = partial(click.echo, err=render)  # what is rendered is the only thing on standard output
    engine = engine_of(environment, accounts, outputs=outputs_in(outputs.read()) if outputs else None, say=say)
    if render:
        from firnline_infra.cli.rollout import artefact_of
        from firnline_infra.rollout.rendered import rendered

        engine.check()
        click.echo(rendered(engine.job(lambda: artefact_of(engine, artefact)), engine.spec), nl=False)
        return
    if rollback:
        done = engine.roll_back()
    else:
        from firnline_infra.cli.rollout import artefact_of

        done = engine.deploy(lambda: artefact_of(engine, artefact))
    click.echo(told(done, engine.env_argument))


def told(done: "Deployed", environment: str) -> str:
    """The end of a deploy, for a person."""
    if done.number is None:
        return f"Run {done.run.id} runs this already: nothing to do."
    lines = [f"Deployment {done.number} is done: run {done.run.id} runs {done.run.hash[:12]}."]
    if done.gap_s is not None:
        lines.append(f"Between the two engines nothing was read for at most {done.gap_s:.0f} s:")
        lines += [f"  {seconds:4.0f} s  until {phase.value}" for phase, seconds in done.phases.items()]
    if not done.is_at_tip:
        lines.append(f"It is still behind the tip of its streams: firnline status {environment} shows how far.")
    return "\n".join(lines)
