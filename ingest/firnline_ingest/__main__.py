"""`python -m firnline_ingest COMMAND --config FILE`; the commands are in `commands/`."""

import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_ingest.errors import FirnlineError

if TYPE_CHECKING:
    import argparse

    from firnline_ingest.config.model import EngineConfig

REFUSED, INTERRUPTED = 2, 128 + signal.SIGINT


def main(
    arguments: Sequence[str] | None = None,
    *,
    program: str = "python -m firnline_ingest",
    config: "Callable[[argparse.Namespace], EngineConfig] | None" = None,
    more: str = "",
) -> int:
    """Returns the exit status (docs/runbook.md lists them). `program` is what a person typed. With `config`, the configuration
    is what it returns for the options, --config is the caller's own, and each command's help says `more`.
    """
    try:
        from firnline_ingest.aws.configuration import read_config  # here, where a Ctrl-C leaves no trace
        from firnline_ingest.commands import parser_of

        options = parser_of(program, more=more, is_config_given=config is not None).parse_args(arguments)
        status: int = options.run(read_config(options.config) if config is None else config(options), options)
    except FirnlineError as error:
        print(error, file=sys.stderr)
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
