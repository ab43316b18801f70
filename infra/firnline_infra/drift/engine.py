"""Comparison of what runs with what should: the engine's configuration, its version, and whose keys its channels belong to.

The run says of itself in the ledger what it is. An engine that does not run is not drift: `firnline status` says that.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from firnline_infra.blueprint.engine_config import document_hash
from firnline_infra.drift.context import DriftContext
from firnline_infra.environment import Environment
from firnline_infra.keys.pair import body_fingerprint
from firnline_ingest.checks import NOTHING, Check, Finding

if TYPE_CHECKING:
    from firnline_ingest.ledger.backend import Run

KIND = "engine application"
ROLL = "`firnline deploy` rolls it, or stop it and start it with the configuration of `firnline outputs`"


def checks(context: DriftContext) -> Iterator[Check]:
    yield Check(
        rule="engine", name=f"the run of {KIND} {context.blueprint.names.application}", run=partial(of_run, context)
    )


def of_run(context: DriftContext, sleep: Callable[[float], object] = time.sleep) -> Iterator[Finding]:
    """Raises LedgerForbidden, LedgerUnavailable or another LedgerError."""
    from firnline_ingest.ledger.dynamodb import DynamoLedger
    from firnline_ingest.ledger.errors import LedgerTableMissing
    from firnline_ingest.ledger.lease import is_alive

    ledger = DynamoLedger(context.accounts.aws("dynamodb"), context.blueprint.names.ledger_table)
    try:
        run = ledger.current_run()
    except LedgerTableMissing:
        return
    if run is None:
        return
    found = list(_differences(context, run))
    if found and is_alive(ledger, run, sleep):  # one that was killed says nothing of what runs
        yield from found


def _differences(context: DriftContext, run: "Run") -> Iterator[Finding]:
    wanted = configuration_hash(context)
    if run.configuration and wanted and run.configuration != wanted:
        yield _finding(context, run, "configuration", expected=wanted, found=run.configuration, next_step=ROLL)
    if run.version and run.version != (expected := version("firnline-ingest")):
        yield _finding(context, run, "version", expected=expected, found=run.version, next_step=ROLL)
    own = keys_of_engine(context.environment)
    if own is not None and (foreign := sorted(set(run.fingerprints) - own)):
        step = "find out whose key that is; `firnline keys rotate` where a rotation stopped half-way"
        known = ", ".join(sorted(own)) or NOTHING
        yield _finding(context, run, "keys", expected=known, found=", ".join(foreign), next_step=step)


def configuration_hash(context: DriftContext) -> str:
    """The hash of what an engine is given in these accounts; empty where the stack has no configuration."""
    of_stack, hash_of_stack = context.outputs.get("engine_config"), str(context.outputs.get("engine_config_hash", ""))
    if not of_stack:
        return hash_of_stack
    here = context.accounts.engine_config(of_stack, context.environment.spec)
    return hash_of_stack if here == of_stack else document_hash(here)


def keys_of_engine(environment: Environment) -> set[str] | None:
    """The fingerprints of all that it may write with; None where an adopted user's are its owner's alone to know."""
    writers = [user.options.public_keys for user in environment.users if user.writes]
    if not all(keys.is_given for keys in writers):
        return None
    return {body_fingerprint(key) for keys in writers for key in (keys.slot_1, keys.slot_2) if key}


def _finding(context: DriftContext, run: "Run", path: str, *, expected: str, found: str, next_step: str) -> Finding:
    return Finding(
        kind=KIND,
        name=context.blueprint.names.application,
        path=path,
        expected=expected,
        found=found,
        next_step=f"{next_step} (run {run.run_id}, {run.holder})",
    )
