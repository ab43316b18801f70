"""`stop`: asks the running engine to end."""

import argparse
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def stop(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.ledger.lease import is_alive
    from firnline_ingest.ledger.provision import open_ledger

    ledger = open_ledger(config)
    found = ledger.current_run()
    run = ledger.request_stop(found.run_id) if found else None
    if run is None:
        options.echo(f"No engine runs as application {config.application!r}.")
    elif is_alive(ledger, run):
        options.echo(f"Asked {run.holder} to stop; it proves its last rows first, which takes some seconds.")
    else:
        options.echo(
            f"Asked {run.holder} to stop, but its heart does not beat: it was killed, or is frozen. Nothing has to be\n"
            "stopped then: the next start takes its place after ten seconds."
        )
    standby = ledger.standby()
    if standby is not None and standby.is_coming:
        options.echo(
            f"{standby.holder} was let in by a deploy, and takes the application over then: stop it as well, once it has."
        )
    return 0


STOP = Command(name="stop", summary="Ask the running engine to prove its last rows and end.", run=stop)
