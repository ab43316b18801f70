"""The Snowflake process of the embedded environment: says where it listens in one line of JSON, ends with its parent."""

import signal
import sys
from pathlib import Path

import click

from firnline_local.exit_with_parent import exit_when_stdin_ends
from firnline_local.process import announce_ready


@click.command()
@click.option("--account", required=True, help="The account identifier that clients name.")
@click.option(
    "--admin-public-key",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="PEM public key of the user FIRNLINE_ADMIN.",
)
@click.option("--state", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where certificates go.")
@click.option("--commit-lag-ms", type=click.IntRange(0), default=250, show_default=True)
@click.option("--port", type=int, default=0, help="0 is a free one.")
def main(*, account: str, admin_public_key: Path, state: Path, commit_lag_ms: int, port: int) -> None:
    """Serve one Snowflake account on 127.0.0.1 until stdin ends, or a signal comes."""
    exit_when_stdin_ends()
    from firnline_local.snowflake.catalog import Catalog
    from firnline_local.snowflake.server import EmbeddedSnowflake
    from firnline_local.snowflake.streaming import StreamingSettings

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))  # what uvicorn falls back to after it has shut down
    catalog = Catalog(account, admin_public_key=admin_public_key.read_text())
    snowflake = EmbeddedSnowflake(
        catalog, folder=state, port=port, settings=StreamingSettings(commit_lag_ms=commit_lag_ms)
    )
    announce_ready(endpoint=snowflake.url, ca_file=str(snowflake.ca_file), account=account)
    snowflake.serve()


if __name__ == "__main__":
    main()
