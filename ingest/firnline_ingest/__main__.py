"""`python -m firnline_ingest COMMAND --config FILE`; the commands are in `commands/`."""

import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_ingest.errors import FirnlineError
from firnline_ingest.terminal import printable

if TYPE_CHECKING:
    import argparse

    from firnline_ingest.commands.output import Echo
    from firnline_ingest.config.model import EngineConfig

REFUSED, INTERRUPTED = 2, 128 + signal.SIGINT


def main(
    arguments: Sequence[str] | None = None,
    *,
    program: str = "python -m firnline_ingest",
    config: "Callable[[argparse.Namespace], EngineConfig] | None" = None,
    more: str = "",
    echo: "Echo | None" = None,
) -> int:
    """Returns the exit status (docs/runbook.md lists them). `program` is what a person typed. With `config`, the configuration
    is what it returns for the options, --config is the caller's own, and each command's help says `more`. `echo` prints.
    """
    try:
        from firnline_ingest.commands import parser_of  # here, where a Ctrl-C leaves no trace
        from firnline_ingest.commands.output import plain_echo

        echo = echo or plain_echo
        options = parser_of(program, more=more, is_config_given=config is not None).parse_args(arguments)
        options.echo = echo

        from firnline_ingest.aws.configuration import read_config  # an SDK, which no help waits for
        from firnline_ingest.proxy import use_proxy

        found = read_config(options.config) if config is None else config(options)
        if found.proxy is not None:
            use_proxy(found)
        status: int = options.run(found, options)
    except FirnlineError as error:
        (echo or plain_echo)(printable(str(error)), err=True)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _step_out_of_the_way() -> None:
    """Run as a file, as by spark-submit, our folder is where Python looks first, and our `snowflake` hides everybody's."""
    ours = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != ours]


if __name__ == "__main__":
    if not __package__:
        _step_out_of_the_way()
    sys.exit(main())
