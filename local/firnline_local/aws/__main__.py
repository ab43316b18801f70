"""The AWS process of the embedded environment: says where it listens in one line of JSON, ends with its parent."""

import signal
from collections.abc import Callable
from wsgiref.types import WSGIApplication

import click

from firnline_local.exit_with_parent import exit_when_stdin_ends
from firnline_local.faults import FaultPlan
from firnline_local.process import announce_ready


def command(make_application: Callable[[], WSGIApplication]) -> click.Command:
    """Returns the command that serves an application; it is made after the process watches its parent."""

    @click.command()
    @click.option("--port", type=int, default=0, help="0 is a free one.")
    def main(*, port: int) -> None:
        """Serve DynamoDB, IAM, KMS, S3, Secrets Manager and STS on 127.0.0.1 until stdin ends, or a signal comes."""
        exit_when_stdin_ends()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _stop)

        from firnline_local.wsgi import endpoint, listen  # what it serves with takes a moment to import

        server = listen(make_application(), port=port)
        announce_ready(endpoint=endpoint(server))
        server.serve_forever()

    return main


def _application() -> WSGIApplication:
    from firnline_local.aws.server import application

    return application(FaultPlan())


def _stop(*_: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    command(_application)()
