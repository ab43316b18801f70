"""Hands Pulumi the state of what `local up` has made, once, so that its commands go on from there."""

import fcntl
import json
from pathlib import Path

from firnline_infra.accounts import PulumiPlace
from firnline_infra.pulumi_cli import PulumiCli


def take_over(made: Path, place: PulumiPlace, stack: str) -> None:
    """Does nothing where another command has; one that was killed half-way is repeated. Raises what Pulumi raises."""
    with made.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            return
        cli = PulumiCli(binary=place.binary, project=place.project, variables=place.variables)
        cli.init(stack)
        cli.replace_state(stack, json.loads(made.read_text(encoding="utf-8")))
        made.unlink()
