"""`firnline status`"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import WHAT_ENV_IS, EnvironmentFile
from firnline_infra.cli.output import output_option, show
from firnline_infra.cli.reader_options import EXISTING_FILE

if TYPE_CHECKING:
    from firnline_infra.status import EnvironmentStatus, StatusReader

WATCH_S = 5.0
CLEAR = "\033[H\033[2J"


@click.command(
    help="Show the engine, what is wrong, and each shard.\n\n"
    "Asks the runtime, the ledger and what was deployed; changes nothing. Exit status: 0 an engine is alive and every shard is "
    "read, 3 something is not read, a problem has lasted for two minutes, no engine runs or a view of Redshift is blocked, 2 the "
    "check could not be completed.\n\n" + WHAT_ENV_IS
)
@click.argument("environment", metavar="[ENV]", type=EnvironmentFile(), required=False)
@accounts_options
@click.option(
    "--config", "config_file", type=EXISTING_FILE, help="The engine.json of an engine that was started by hand; no ENV."
)
@click.option(
    "--checks",
    "checks_in",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    help="A folder with results of drift and audit that CI kept, beside .firnline/checks; repeatable. The newest ones are shown.",
)
@output_option(text="With --watch one document after the other.")
@click.option("--watch", is_flag=True, help="Again every five seconds, until Ctrl-C.")
@click.option("--serve", is_flag=True, help="As a page that lives, on this machine alone, until Ctrl-C.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of that page; a free one where absent.")
def status(
    environment: Path | None,
    accounts: ChosenAccounts,
    *,
    config_file: Path | None,
    checks_in: tuple[Path, ...],
    output: str,
    watch: bool,
    serve: bool,
    port: int,
) -> None:
    if (environment is None) == (config_file is None):
        raise click.UsageError(
            "Give either ENV or --config. For what `firnline local up` made by itself: --config .firnline/local/engine.json."
        )
    if serve and (watch or output != "table"):
        raise click.UsageError("--serve is a page: it takes neither --output nor --watch.")
    reader = _reader(environment, accounts, config_file, checks_in)
    if serve:
        _serve(reader, port)
        return
    raise SystemExit(_watch(reader, output) if watch else _show(reader, output))


def _reader(
    environment: Path | None, accounts: ChosenAccounts, config_file: Path | None, checks_in: tuple[Path, ...]
) -> "StatusReader":
    from firnline_infra.cli.rollout import engine_of
    from firnline_infra.status.checks import FOLDER
    from firnline_infra.status.sources import reader_of_config, reader_of_environment
    from firnline_ingest.config.load import load_config

    if config_file is not None:
        return reader_of_config(load_config(config_file), checks_in=(FOLDER, *checks_in))
    assert environment is not None
    return reader_of_environment(engine_of(environment, accounts), checks_in=(FOLDER, *checks_in))


def _show(reader: "StatusReader", output: str) -> int:
    found = reader.read()
    show(output, found.as_document, lambda: _text(found))
    return found.exit_status


def _watch(reader: "StatusReader", output: str) -> int:
    import sys
    import time

    last = 0
    try:
        while True:
            found = reader.read()
            last = found.exit_status
            if sys.stdout.isatty() and output == "table":
                click.echo(CLEAR, nl=False)
            show(output, found.as_document, partial(_text, found), is_one_of_many=True)
            time.sleep(WATCH_S)
    except KeyboardInterrupt:
        return last


def _serve(reader: "StatusReader", port: int) -> None:
    from firnline_infra.status.server import StatusServer

    with StatusServer(reader, port=port) as server:
        click.echo(f"The status of {reader.application} is at {server.url}; Ctrl-C ends it.")
        try:
            server.wait()
        except KeyboardInterrupt:
            click.echo()


def _text(found: "EnvironmentStatus") -> str:
    from firnline_infra.status.text import status_text

    return status_text(found)
