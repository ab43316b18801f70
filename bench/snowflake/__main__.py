"""The canned Snowflake as a process: TLS, says where it listens in one line of JSON, ends with its parent."""

import json
import ssl
from pathlib import Path

import click

from bench.listen import serve
from bench.snowflake import session
from bench.snowflake.streaming import CountingStream
from firnline_local.exit_with_parent import exit_when_stdin_ends
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.wire import Reply

COUNTS = "/__firnline__/counts"


@click.command()
@click.option("--certificate", type=click.Path(exists=True, path_type=Path))
@click.option("--key", type=click.Path(exists=True, path_type=Path))
@click.option("--plain", is_flag=True, help="By plain HTTP: Snowflake's SDK for Java trusts its own roots alone.")
@click.option("--append-s", type=float, default=0.0, help="How long the answer to an append takes.")
@click.option("--commit-s", type=float, default=0.0, help="How long after it its rows are committed.")
def main(*, certificate: Path | None, key: Path | None, plain: bool, append_s: float, commit_s: float) -> None:
    """Serve one account on 127.0.0.1 until stdin ends, or a signal comes."""
    exit_when_stdin_ends()
    stream = CountingStream(append_s=append_s, commit_s=commit_s)
    context = None if plain else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if context is not None:
        if certificate is None or key is None:
            raise click.UsageError("give --certificate and --key, or --plain")
        context.load_cert_chain(certificate, key)

    def reply(request: HttpRequest) -> Reply:
        if request.target == COUNTS:
            return Reply(200, json.dumps(stream.counts).encode())
        is_session = request.target.startswith(("/session", "/queries"))
        return session.reply(request) if is_session else stream.reply(request)

    serve(reply, context)


if __name__ == "__main__":
    main()
