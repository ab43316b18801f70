"""`deregister`: gives up the enhanced fan-out consumers that the engine registered."""

import argparse
import time
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def add_stream(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stream", help="Those of one stream; of all streams by default.")


def deregister(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.ledger.lease import RunLease, held
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.ledger.registration import deregister_all, registrar_of

    ledger = open_ledger(config)
    with held(RunLease(ledger, config.application)) as heart:
        registrar = registrar_of(config, ledger)
        given_up = deregister_all(config, registrar, sleep, options.stream, make_sure=heart.make_sure)
    for arn in given_up:
        options.echo(f"Deregistered {arn}.")
    if not given_up:
        options.echo(
            "The engine has registered no consumer that is still there; one that it did not register it leaves alone."
        )
    return 0


def sleep(seconds: float) -> bool:
    """Returns False: nothing interrupts it."""
    time.sleep(seconds)
    return False


DEREGISTER = Command(
    name="deregister",
    summary="Deregister enhanced fan-out consumers.",
    more="The engine must not run meanwhile; it registers them again when it starts, unless it polls by then.",
    add_arguments=add_stream,
    run=deregister,
)
