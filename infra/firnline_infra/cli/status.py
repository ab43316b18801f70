"""`firnline status`"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import WHAT_ENV_IS, EnvironmentFile
from firnline_infra.cli.output import output_option, show
from firnline_infra.cli.reader_options import EXISTING_FILE
from firnline_ingest.errors import UsageError

if TYPE_CHECKING:
    from firnline_infra.status import EnvironmentStatus, StatusReader
    from firnline_infra.status.feed import StatusSource
    from firnline_infra.status.server import StatusServer

WATCH_S = 5.0
CLEAR = "\033[H\033[2J"


@click.command(
    help="Show the engine, what is wrong, and each shard.\n\n"
    "Asks the runtime, the ledger and what was deployed; changes nothing. Exit status: 0 an engine is alive and every shard is "
    "read, 3 something is not read, a problem has lasted for two minutes, no engine runs or a view of Redshift is blocked, 2 the "
    "check could not be completed.\n\n" + WHAT_ENV_IS
)
@click.argument("environments", metavar="[ENV]...", type=EnvironmentFile(), nargs=-1)
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
@click.option(
    "--serve",
    is_flag=True,
    help="Serve a live web page on 127.0.0.1 until Ctrl-C; of several ENVs an overview, and a page each.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of that page; a free one by default.")
def status(
    environments: tuple[Path, ...],
    accounts: ChosenAccounts,
    *,
    config_file: Path | None,
    checks_in: tuple[Path, ...],
    output: str,
    watch: bool,
    serve: bool,
    port: int,
) -> None:
    if bool(environments) == (config_file is not None):
        raise click.UsageError(
            "Give either ENV or --config. For what `firnline local up` made by itself: --config .firnline/local/engine.json."
        )
    if len(environments) > 1 and not serve:
        raise click.UsageError("Several environments are shown by --serve; without it, give one ENV.")
    if serve and (watch or output != "table"):
        raise click.UsageError("--serve is a page: it takes neither --output nor --watch.")
    if len(environments) > 1:
        _serve_all(environments, accounts, checks_in, port)
        return
    reader = _reader(next(iter(environments), None), accounts, config_file, checks_in)
    if serve:
        _serve(reader, port)
        return
    raise SystemExit(_watch(reader, output) if watch else _show(reader, output))


def _reader(
    environment: Path | None, accounts: ChosenAccounts, config_file: Path | None, checks_in: tuple[Path, ...]
) -> "StatusReader":
    import os

    from firnline_infra.cli.rollout import engine_of
    from firnline_infra.status.checks import FOLDER
    from firnline_infra.status.sources import reader_of_config, reader_of_environment
    from firnline_ingest.config.load import load_config

    if config_file is not None:
        return reader_of_config(load_config(config_file), checks_in=(FOLDER, *checks_in))
    assert environment is not None
    engine = engine_of(environment, accounts)
    if engine.spec.aws.runtime.job is None:  # started by hand: no runtime can be asked
        config = engine.current_config()
        os.environ.update(engine.accounts.variables)
        return reader_of_config(config, checks_in=(FOLDER, *checks_in))
    return reader_of_environment(engine, checks_in=(FOLDER, *checks_in))


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
    with _server(reader, port) as server:
        _wait(server, f"The status of {reader.application} is at {server.url}; Ctrl-C ends it.")


def _serve_all(
    environments: tuple[Path, ...], accounts: ChosenAccounts, checks_in: tuple[Path, ...], port: int
) -> None:
    """Each environment is read by itself, so that one whose account can't be asked is a row like the others."""
    from firnline_infra.status.overview import LazyReader

    names = [file.stem for file in environments]
    if same := sorted({name for name in names if names.count(name) > 1}):
        raise click.UsageError(f"Each environment is given once, and under a name of its own: {', '.join(same)}.")
    readers = {
        file.stem: LazyReader(file.stem, partial(_reader, file, accounts, None, checks_in)) for file in environments
    }
    with _server(readers, port) as server:
        _wait(server, f"The status of {len(names)} environments is at {server.url}; Ctrl-C ends it.")


def _server(readers: "StatusReader | Mapping[str, StatusSource]", port: int) -> "StatusServer":
    """Raises UsageError where the port can't be listened on."""
    from firnline_infra.status.server import StatusServer

    try:
        return StatusServer(readers, port=port)
    except OSError as error:
        step = "give another port, or leave --port out: a free one is taken."
        raise UsageError(f"Port {port} of 127.0.0.1 can't be used: {error.strerror}.", next_step=step) from error


def _wait(server: "StatusServer", said: str) -> None:
    click.echo(said)
    try:
        server.wait()
    except KeyboardInterrupt:
        click.echo()


def _text(found: "EnvironmentStatus") -> str:
    from firnline_infra.status.text import status_text

    return status_text(found)
