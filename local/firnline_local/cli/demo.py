"""`firnline demo`"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import click

from firnline_local.cli.options import spec_option

if TYPE_CHECKING:
    from firnline_infra.specification import EnvironmentSpec

AUDIT_FAILED = 3


@click.command()
@click.option(
    "--records", type=click.IntRange(1_000), default=40_000, show_default=True, help="How many events the shop sends."
)
@click.option(
    "--file",
    "events_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Your own events, one a line.",
)
@click.option("--keep", is_flag=True, help="Leave it running at the end, to look around; Ctrl-C ends it.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep keys, logs and engine.json here; else they go.",
)
@spec_option
@click.option(
    "--pulumi", "by_pulumi", is_flag=True, help="Let the real Pulumi engine make it all (scripts/pulumi-cli)."
)
@click.option(
    "--terraform",
    "by_terraform",
    is_flag=True,
    help="Let the real Terraform or OpenTofu make it all (scripts/terraform-cli).",
)
@click.option(
    "--deploy",
    "deploys",
    is_flag=True,
    help="Deploy the engine to the embedded EMR Serverless, and roll it while records flow; with --terraform on what that made.",
)
def demo(
    *,
    records: int,
    events_file: Path | None,
    keep: bool,
    folder: Path | None,
    spec_file: Path,
    by_pulumi: bool,
    by_terraform: bool,
    deploys: bool,
) -> None:
    """Run the pipeline here, kill it, prove the outcome.

    Real Spark, the real SDK, a driver that is killed half-way, and the audit. Everything listens on 127.0.0.1 and needs no
    account. Exit status: 0 every record is in its place once, 3 not.
    """
    from firnline_infra.specification import load_spec

    if deploys and (by_pulumi or keep):
        raise click.UsageError("--deploy creates a stack and an engine of its own; leave --pulumi and --keep out.")
    if by_pulumi and by_terraform:
        raise click.UsageError("one tool creates an environment: --pulumi or --terraform.")
    spec, events = load_spec(spec_file), _events(records, events_file)
    with demo_folder(folder) as place:
        if deploys:
            status = _deploy(place, spec, events, by_terraform=by_terraform)
        else:
            deployed_from = spec_file if by_pulumi or by_terraform else None
            options = {"keep": keep, "by_terraform": by_terraform}
            status = _run(place, spec, events, deployed_from=deployed_from, **options)
    raise SystemExit(status)


@contextmanager
def demo_folder(named: Path | None) -> Iterator[Path]:
    """Yields the folder that was named, or one that goes at the end; where the demo fails it stays, and its path is printed."""
    if named is not None:
        yield named
        return
    place = Path(mkdtemp(prefix="firnline-demo-"))
    try:
        yield place
    except Exception:
        click.echo(f"\nThe demo's files are kept in {place}: engine.log is the engine's log.", err=True)
        raise
    except BaseException:  # Ctrl-C at the end of --keep is not a failure
        rmtree(place, ignore_errors=True)
        raise
    rmtree(place, ignore_errors=True)


def _events(records: int, file: Path | None) -> list[bytes]:
    from firnline_ingest.sink.lines import lines_of
    from firnline_local.demo.errors import NoEvents
    from firnline_local.demo.events import shop_events

    if file is None:
        return list(shop_events(records))
    events = list(lines_of(file))
    if not events:
        raise NoEvents(str(file))
    return events


def _run(
    folder: Path,
    spec: "EnvironmentSpec",
    events: list[bytes],
    *,
    keep: bool,
    by_terraform: bool,
    deployed_from: Path | None,
) -> int:
    import os

    from firnline_infra.status.sources import page_of_config
    from firnline_ingest.config.load import load_config
    from firnline_local.demo.closing import show_configuration, show_what_to_try
    from firnline_local.demo.deploy import deploy
    from firnline_local.demo.screen import Screen
    from firnline_local.demo.story import CHECKS, Demo, open_environment

    screen = Screen()
    folder.mkdir(parents=True, exist_ok=True)
    screen.step("The embedded environment: Kinesis, DynamoDB and Snowflake, on this machine")
    with open_environment(folder, spec, is_provisioned=deployed_from is None) as environment:
        os.environ.update(environment.variables)  # the audit finds AWS as any program does
        endpoints = environment.endpoints
        listening = (("Kinesis", endpoints.kinesis), ("other AWS", endpoints.aws), ("Snowflake", endpoints.snowflake))
        screen.table(("service", "listens at"), listening)
        if deployed_from is not None:
            deploy(environment, deployed_from, screen, by_terraform=by_terraform)
        demo = Demo(folder, spec, events, screen)
        config_file = demo.write_config(environment)
        with page_of_config(load_config(config_file), checks_in=[folder / CHECKS]) as page:
            screen.say(f"The status page is at {page.url} and lives as long as the demo: open it now.")
            report = demo.run(environment, config_file)
            show_configuration(screen, config_file)
            if keep:
                show_what_to_try(screen, folder, spec)
                _wait_for_ctrl_c()
    return 0 if report.exit_status == 0 else AUDIT_FAILED


def _deploy(folder: Path, spec: "EnvironmentSpec", events: list[bytes], *, by_terraform: bool) -> int:
    import os

    from firnline_local.demo.deploy import providers_of
    from firnline_local.demo.deployable import Deployable, deployed_specification
    from firnline_local.demo.deployment_story import DeploymentStory
    from firnline_local.demo.screen import Screen
    from firnline_local.demo.story import open_environment

    screen = Screen()
    folder.mkdir(parents=True, exist_ok=True)
    screen.step(
        "The embedded environment: Kinesis, AWS with an EMR Serverless that runs jobs, and Snowflake, on this machine"
    )
    with open_environment(folder / "environment", spec, is_provisioned=False) as environment:
        os.environ.update(environment.variables)  # the audit finds AWS as any program does
        endpoints = environment.endpoints
        document = deployed_specification("deployed", endpoints.aws_account, endpoints.region, shards=4)
        with providers_of(environment, by_terraform=by_terraform) as providers:
            deployable = Deployable(environment, folder, document, screen.say, terraform_providers=providers)
            result = DeploymentStory(deployable, events, screen).run()
    return 0 if result.report.exit_status == 0 else AUDIT_FAILED


def _wait_for_ctrl_c() -> None:
    import threading

    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        click.echo()
