"""Takes into a stack what its program would create and what is there already: made by another tool, or by a state that is lost.

Nothing in a cloud is changed: the program's providers and components are made, which are in the state alone, and objects are
imported. An object is taken over if it carries the tags or the comment that the program gives it; others are left alone.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from firnline_infra.pulumi_cli.cli import UNKNOWN, PulumiCli
from firnline_infra.pulumi_cli.recovery.lookups import REPEATED, Lookup
from firnline_infra.pulumi_cli.recovery.pending import PendingCreate, outputs_of, pending_create, why_foreign
from firnline_infra.pulumi_cli.recovery.up import LOOKING, import_those_there


def import_existing(
    cli: PulumiCli, stack: str, *, say: Callable[[str], None], lookups: Mapping[str, Lookup]
) -> tuple[int, int]:
    """The number of objects that were taken over, and of those that were left alone. Looks for what follows from an object
    after it. Raises what Pulumi raises, and PendingUnknown."""
    say(LOOKING)
    asked: set[str] = set()
    foreign = 0
    while creates := [each for each in _creates(cli, stack) if each.urn.text not in asked]:
        asked |= {each.urn.text for each in creates}
        import_those_there(cli, stack, creates, lookups)
        foreign += _let_go_of_foreign(cli, stack, creates, say)
    state = cli.export(stack)
    resources = {each["urn"] for each in state["deployment"].get("resources") or ()}
    return len(resources & asked), foreign


def _creates(cli: PulumiCli, stack: str) -> Iterable[PendingCreate]:
    """The pending creates of which everything is known. First makes providers and components, which are in the state alone."""
    steps = cli.plan(stack)["steps"]
    news: list[dict[str, Any]] = [each["newState"] for each in steps if each["op"] == "create"]
    frame = [each["urn"] for each in news if not each.get("custom") or each["type"].startswith("pulumi:providers:")]
    if frame:
        cli.up_only(stack, frame)
    return [
        pending_create(each)
        for each in news
        if each["urn"] not in frame and each["type"] not in REPEATED and UNKNOWN not in json.dumps(each["inputs"])
    ]


def _let_go_of_foreign(cli: PulumiCli, stack: str, creates: Iterable[PendingCreate], say: Callable[[str], None]) -> int:
    state, foreign = cli.export(stack), 0
    for create in creates:
        found = outputs_of(state, create.urn)
        if found is not None and (why := why_foreign(create.inputs, found)):
            say(f"{create.urn} is there, and is left alone: {why}.")
            cli.forget(stack, create.urn)
            foreign += 1
    return foreign
