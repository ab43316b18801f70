"""The ordinary command of the engine, which also ends when its parent does: the demo, a test or the benchmark.

When this process ends, Spark's JVM reads the end of its stdin and takes its Python workers along.
"""

import sys

from firnline_local.exit_with_parent import exit_when_stdin_ends

if __name__ == "__main__":
    exit_when_stdin_ends()
    from firnline_ingest.__main__ import main

    sys.exit(main())
