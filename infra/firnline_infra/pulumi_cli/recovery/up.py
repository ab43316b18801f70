"""Runs `up`, and first recovers from an earlier `up` that was killed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from firnline_infra.pulumi_cli.cli import PulumiCli
from firnline_infra.pulumi_cli.errors import (
    CommandFailed,
    ErrorsReported,
    PendingForeign,
    PendingUnknown,
    StackInUse,
    StackLocked,
)
from firnline_infra.pulumi_cli.recovery.lookups import REPEATED, Lookup, lookup_of
from firnline_infra.pulumi_cli.recovery.pending import (
    PendingCreate,
    has_pending,
    ids_of,
    outputs_of,
    pending_creates,
    why_foreign,
)
from firnline_infra.pulumi_cli.resource import ImportedResource

ABSENT = "does not exist"  # the engine, where a provider reads nothing under an import id
LOOKING = f"Looking for objects that were being created; an error '{ABSENT}' is an answer here, not a failure."
FAILED = re.compile(rf"(\S+) (\S+) \*\*importing failed\*\* error: resource '(.+)' {ABSENT}")
NO_LOOKUPS: Mapping[str, Lookup] = {}


def recovered_up(
    cli: PulumiCli,
    stack: str,
    *,
    say: Callable[[str], None],
    lookups: Mapping[str, Lookup] = NO_LOOKUPS,
    refresh: bool = False,
    plan: Path | None = None,
) -> None:
    """Cleans up after a killed command, then brings the stack up. `say` is called with each finding and each step.

    `refresh` refreshes the state first even if no command was killed. With the `plan` of a preview, exactly that plan is
    applied.

    Objects of other owners are not touched: a lock counts until its process is gone for certain, and an object that
    exists has to be the stack's own. Killed in turn, it can be run again. Raises StackInUse, PendingForeign,
    PendingUnknown, ErrorsReported if they are printed twice, and what `up` raises.
    """
    try:
        _settle_and_up(cli, stack, say, lookups, refresh=refresh, plan=plan)
    except StackLocked as locked:
        _clear(cli, stack, locked, say)
        _settle_and_up(cli, stack, say, lookups, refresh=refresh, plan=plan)
    except ErrorsReported:
        say("Pulumi printed errors and ended with status 0: once more, which does what is missing.")
        _settle_and_up(cli, stack, say, lookups, refresh=refresh, plan=plan)


def _clear(cli: PulumiCli, stack: str, locked: StackLocked, say: Callable[[str], None]) -> None:
    for lock in locked.locks:
        if why := lock.why_it_counts():
            raise StackInUse(stack, lock, why=why) from locked
        say(f"Stack {stack} was locked by {lock}, which is gone: its lock is removed.")
    cli.cancel(stack)


def _settle_and_up(
    cli: PulumiCli,
    stack: str,
    say: Callable[[str], None],
    lookups: Mapping[str, Lookup],
    *,
    refresh: bool,
    plan: Path | None,
) -> None:
    """The pending creates are read before anything is refreshed: a refresh forgets them."""
    state = cli.export(stack)
    pending = has_pending(state)
    if creates := pending_creates(state):
        _settle(cli, stack, creates, say, lookups)
    if pending:
        cli.drop_pending_operations(stack)
    cli.up(stack, refresh=refresh or pending, plan=plan)  # what a killed update or delete has done is seen by looking


def _settle(
    cli: PulumiCli,
    stack: str,
    creates: Sequence[PendingCreate],
    say: Callable[[str], None],
    lookups: Mapping[str, Lookup],
) -> None:
    """Leaves what exists in the state, and says of each what was found."""
    searched = [create for create in creates if create.urn.type not in REPEATED]
    if searched:
        say(LOOKING)
    import_those_there(cli, stack, searched, lookups)
    state = cli.export(stack)
    foreign = {}
    for create in creates:
        found = outputs_of(state, create.urn)
        if create not in searched:
            say(f"{create.urn} was being made: it is created again.")
        elif found is None:
            say(f"{create.urn} was being made, and is not there: it is made now.")
        elif why := why_foreign(create.inputs, found):
            foreign[create.urn] = why
        else:
            say(f"{create.urn} was being made, and is there: it is imported.")
    for urn in foreign:
        cli.forget(stack, urn)
    if foreign:
        raise PendingForeign(foreign)


def import_those_there(
    cli: PulumiCli, stack: str, creates: Iterable[PendingCreate], lookups: Mapping[str, Lookup]
) -> None:
    """Takes the objects of creates into the state, where there are such. Raises PendingUnknown."""
    _import(cli, stack, _imports_of(cli.export(stack), creates, lookups))


def _imports_of(
    state: Mapping[str, Any], creates: Iterable[PendingCreate], lookups: Mapping[str, Lookup]
) -> list[ImportedResource]:
    """The places to look at for what is not in the state yet. Raises PendingUnknown."""
    places = []
    for create in creates:
        lookup = lookup_of(create.urn.type, lookups)
        if lookup is None:
            raise PendingUnknown(str(create.urn))
        taken = ids_of(state, create.urn.type)
        import_id = next((id_ for id_ in lookup(create.inputs) if id_ not in taken), None)
        if import_id is not None and outputs_of(state, create.urn) is None:
            places.append(create.imported_as(import_id))
    return places


def _import(cli: PulumiCli, stack: str, places: Sequence[ImportedResource]) -> None:
    """All at once, which is quick. One that is not there ends the command with an error that names it, and others may be
    left over with it: those are tried again.
    """
    while places:
        try:
            return cli.import_(stack, places)
        except CommandFailed as failed:
            if not any(ABSENT in line for line in failed.lines):
                raise
            absent = {found.groups() for line in failed.lines if (found := FAILED.search(line))}
        state = cli.export(stack)
        left = [each for each in places if outputs_of(state, each.urn) is None and _as_shown(each) not in absent]
        if len(left) == len(places):  # the engine says it in other words: each is asked for alone
            for each in places if len(places) > 1 else ():
                _import(cli, stack, [each])
            return None
        places = left
    return None


def _as_shown(place: ImportedResource) -> tuple[str, str, str]:
    """Type, name and id as the engine shows them: aws:kinesis/stream:Stream is aws:kinesis:Stream."""
    return re.sub("/[^:]*", "", place.urn.type), place.urn.name, place.import_id
