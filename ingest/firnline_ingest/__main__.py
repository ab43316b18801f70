"""`python -m firnline_ingest COMMAND --config FILE`; the commands are in `commands/`."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from firnline_ingest.errors import FirnlineError

REFUSED, INTERRUPTED = 2, 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None, *, program: str = "python -m firnline_ingest") -> int:
    """Returns the exit status (docs/runbook.md lists them). `program` is what a person typed."""
    try:
        from firnline_ingest.aws.configuration import read_config  # here, where a Ctrl-C leaves no trace
        from firnline_ingest.commands import parser_of

        options = parser_of(program).parse_args(arguments)
        status: int = options.run(read_config(options.config), options)
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
