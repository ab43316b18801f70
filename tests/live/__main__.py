"""`python -m tests.live`, which scripts/live runs. Exit status: 0 done (or told), 1 something went wrong, 2 not begun."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from docs.tools.beliefs import PAGE
from tests.live import plan
from tests.live.accounts import missing
from tests.live.recordings import RECORDED
from tests.live.whole import Whole

ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        if given.embedded:
            from tests.live.embedded import embedded

            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firnline-live-")))
            found = stack.enter_context(embedded(folder / "environment"))
            os.environ |= {**found, "PATH": f"{found['PULUMI']}{os.pathsep}{os.environ['PATH']}"}
        lacking, steps = missing(os.environ), plan.chosen(given.only)
        if lacking or given.dollars is None:
            print(plan.told(steps))
            print("\nNothing was done.")
            print(f"Missing: {', '.join(lacking)}." if lacking else "Credentials are there.")
            print(
                "Begin with: scripts/live --dollars 5 --minutes 60   (as administrator of accounts that are for trying things)"
            )
            return 0
        if refused := plan.Budget(given.dollars, given.minutes).refusal(steps):
            print(f"{refused} Nothing was done.")
            return 2
        work = folder / "work" if given.embedded else ROOT / ".firnline" / "live"
        page = None if given.embedded else PAGE
        whole = Whole.begun(work, os.environ, minutes=given.minutes, record=given.record, say=_say, page=page)
        return whole.go([step.name for step in steps])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/live", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dollars", type=float, help="What it may cost. Without it, what would be done is told.")
    parser.add_argument("--minutes", type=float, default=60.0, help="What it may take; 60.")
    parser.add_argument("--only", action="append", default=[], choices=plan.PARTS, help="This part alone; repeatable.")
    parser.add_argument(
        "--embedded", action="store_true", help="In the embedded environment, as if that were the accounts."
    )
    parser.add_argument(
        "--record", type=Path, default=None, help=f"Where answers are written; {RECORDED.relative_to(ROOT)}."
    )
    return parser


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
