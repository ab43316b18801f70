"""`scripts/acceptance`: plays scenes through real Spark, and prints the audit's sums. Exit status 3 where one is another."""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from firnline_infra.specification import load_spec
from firnline_local.environment import LocalEnvironment
from tests.acceptance.scenes import SCENES, Scene
from tests.acceptance.stage import Stage
from tests.acceptance.sums import Line, text
from tests.iam.running import MODULES
from tests.processes import reap_what_is_started_from_now_on

NOT_AS_IT_HAS_TO_BE = 3
LOCAL = Path(__file__).parents[2] / "stacks" / "environments" / "local.yaml"


@click.command(epilog="Scenes: " + "; ".join(f"{name} ({scene.about})" for name, scene in SCENES.items()) + ".")
@click.argument("names", nargs=-1, type=click.Choice(list(SCENES)))
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for logs and configurations, which stays.")
def acceptance(names: Sequence[str], keep: Path | None) -> None:
    """All scenes, or those that are named, one after the other."""
    reap_what_is_started_from_now_on()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="firnline-acceptance-") as place:
        for name in names or SCENES:
            failed += not _played(name, SCENES[name], (keep or Path(place)) / name)
    sys.exit(NOT_AS_IT_HAS_TO_BE if failed else 0)


def _played(name: str, scene: Scene, folder: Path) -> bool:
    """Returns whether all of it is as it has to be."""
    click.echo(f"{name}: {scene.about}")
    began_s = time.monotonic()
    lines: Sequence[Line] = ()
    problem = ""
    try:
        with LocalEnvironment(
            folder / "environment",
            load_spec(LOCAL),
            modules=MODULES,
            commit_lag_ms=20,
            write_limits=scene.write_limits,
        ) as running:
            os.environ |= {**running.variables, "SSL_CERT_FILE": str(running.endpoints.ca_file)}
            stage = Stage(running, folder / "stage", f"scene-{name}")
            lines = scene.play(stage)
            stage.check_receipts()
    except Exception:  # whatever it is, the next scene is played, and the exit status says so
        problem = traceback.format_exc()
    click.echo(text(lines))
    is_good = not problem and all(not line.problem for line in lines)
    verdict = "as it has to be" if is_good else "NOT as it has to be"
    click.echo(f"{problem}{name}: {verdict}, {time.monotonic() - began_s:.0f} s\n")
    return is_good


if __name__ == "__main__":
    acceptance()
