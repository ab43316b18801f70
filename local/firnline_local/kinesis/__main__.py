"""The Kinesis process of the embedded environment: says where it listens in one line of JSON, ends with its parent."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any

import click

from firnline_local.exit_with_parent import exit_when_stdin_ends
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.server import KinesisService, Listener
from firnline_local.process import announce_ready


def command(service_of: Callable[[FakeKinesis], KinesisService]) -> click.Command:
    """Returns the command that serves a Kinesis through the service that is made for it."""

    @click.command()
    @click.option("--port", type=int, default=0, help="0 is a free one.")
    @click.option("--account-id", default="123456789012", show_default=True)
    @click.option("--region", default="us-east-1", show_default=True)
    @click.option("--seed", type=int, default=0, help="Tells apart the sequence numbers of two servers.")
    @click.option("--read-limits/--no-read-limits", default=True, help="Five reads and 2 MiB a second and shard.")
    @click.option("--write-limits/--no-write-limits", default=False, help="1,000 records and 1 MiB a second and shard.")
    @click.option("--empty-page-every", type=click.IntRange(2), help="Each n-th page of a shard is empty.")
    @click.option("--creating-s", type=float, default=0.2, show_default=True, help="How long a new stream is CREATING.")
    @click.option(
        "--updating-s", type=float, default=0.0, show_default=True, help="How long a changed one is UPDATING."
    )
    def main(*, port: int, **fake: Any) -> None:
        """Serve Kinesis Data Streams on 127.0.0.1 until stdin ends, or a signal comes."""
        exit_when_stdin_ends()
        asyncio.run(_serve(service_of(FakeKinesis(**fake)), port))

    return main


async def _serve(service: KinesisService, port: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    listener = Listener(service)
    await listener.start(port=port)
    announce_ready(endpoint=listener.endpoint)
    await stopped.wait()
    await listener.stop()


if __name__ == "__main__":
    command(KinesisService)()
