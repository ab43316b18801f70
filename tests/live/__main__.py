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
from tests.live.job_life import SUBNETS, VPC
from tests.live.recordings import RECORDED
from tests.live.whole import Whole

ROOT = Path(__file__).parents[2]
MINUTES = 120.0
"""More than the plan's own estimate (tests/live/test_page.py)."""


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        if given.embedded:
            from tests.live.embedded import embedded

            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firnline-live-")))
            found = stack.enter_context(embedded(folder / "environment"))
            os.environ |= {**found, "PATH": f"{found['PULUMI']}{os.pathsep}{os.environ['PATH']}"}
        network = [] if given.embedded else [name for name in (SUBNETS, VPC) if not os.environ.get(name)]
        steps = plan.chosen(given.only)
        if network and not given.only:
            _say(f"job: skipped; it needs {' and '.join(network)} (docs/real-accounts.md)")
            steps, network = tuple(step for step in steps if step.name != "job"), []
        named = {step.name for step in steps}
        lacking = missing(os.environ, needs_pulumi=bool(named & {"life", "job"})) + (network if "job" in named else [])
        if lacking or given.dollars is None:
            print(plan.told(steps))
            print("\nNothing was done.")
            print(f"Missing: {', '.join(lacking)}." if lacking else "Credentials are there.")
            print(
                f"Begin with: scripts/live --dollars 5 --minutes {MINUTES:.0f}   (as administrator of accounts that are for "
                "trying things)"
            )
            return 0 if given.dollars is None else 2
        if refused := plan.Budget(given.dollars, given.minutes).refusal(steps):
            print(f"{refused} Nothing was done.")
            return 2
        kept = ROOT / ".firnline" / "live"
        work = folder / "work" if given.embedded else kept
        page = None if given.embedded else PAGE
        whole = Whole.begun(
            work, os.environ, minutes=given.minutes, record=given.record, say=_say, page=page, reports=kept
        )
        return whole.go([step.name for step in steps])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/live", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dollars", type=float, help="What it may cost. Without it, what would be done is told.")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"What it may take; {MINUTES:.0f}.")
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
