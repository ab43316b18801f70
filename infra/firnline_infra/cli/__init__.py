"""The `firnline` command. Ctrl-C while it is still being imported ends it as a Ctrl-C later does: in one line."""

import sys

try:
    from firnline_infra.cli.main import main
except KeyboardInterrupt:
    print("Interrupted.", file=sys.stderr)
    sys.exit(130)  # lazy_group.INTERRUPTED, which may not be there yet

__all__ = ["main"]
