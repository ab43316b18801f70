"""The process of the embedded runtimes: says where it listens in one line of JSON, ends with its parent, and its jobs with it."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_local.exit_with_parent import exit_when_stdin_ends
from firnline_local.process import announce_ready

if TYPE_CHECKING:
    from firnline_local.runtimes.server import RuntimesApplication


def command(make_application: "Callable[..., RuntimesApplication]") -> click.Command:
    """`make_application` takes a folder, an account and a region."""

    @click.command()
    @click.option("--port", type=int, default=0, help="0 is a free one.")
    @click.option("--account-id", required=True)
    @click.option("--region", required=True)
    @click.option("--folder", type=click.Path(path_type=Path), required=True, help="The folder that jobs work in.")
    def main(*, port: int, account_id: str, region: str, folder: Path) -> None:
        """Serve EMR and its like on 127.0.0.1 until stdin ends, or a signal comes."""
        exit_when_stdin_ends()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)

        from firnline_local.wsgi import endpoint, listen

        application = make_application(folder, account=account_id, region=region)
        server = listen(application, port=port)
        application.listens_at = endpoint(server)
        announce_ready(endpoint=application.listens_at)
        server.serve_forever()

    return main


def _application(folder: Path, *, account: str, region: str) -> "RuntimesApplication":
    from firnline_local.faults import FaultPlan
    from firnline_local.runtimes.server import RuntimesApplication

    return RuntimesApplication(folder, account=account, region=region, faults=FaultPlan())


def _stop(*_: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    command(_application)()
