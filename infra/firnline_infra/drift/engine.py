"""What runs against what should: the engine's configuration, its version, and whose keys its channels belong to.

The run says of itself in the ledger what it is. An engine that does not run is no drift: `firnline status` tells that.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from firnline_infra.drift.finding import NOTHING, Finding, Source
from firnline_infra.drift.scene import Look, Scene
from firnline_infra.keys.pair import body_fingerprint

if TYPE_CHECKING:
    from firnline_ingest.ledger.backend import Run

KIND = "engine application"
ROLL = "`firnline deploy` rolls it, or stop it and start it with the configuration of `firnline outputs`"


def looks(scene: Scene) -> Iterator[Look]:
    yield Look(what=f"the run of {KIND} {scene.blueprint.names.application}", run=partial(of_run, scene))


def of_run(scene: Scene, sleep: Callable[[float], object] = time.sleep) -> Iterator[Finding]:
    """Raises LedgerForbidden, LedgerUnavailable or another LedgerError."""
    from firnline_ingest.ledger.dynamodb import DynamoLedger
    from firnline_ingest.ledger.errors import LedgerTableMissing
    from firnline_ingest.ledger.lease import is_alive

    ledger = DynamoLedger(scene.accounts.aws("dynamodb"), scene.blueprint.names.ledger_table)
    try:
        run = ledger.current_run()
    except LedgerTableMissing:
        return
    if run is None:
        return
    found = list(_differences(scene, run))
    if found and is_alive(ledger, run, sleep):  # one that was killed says nothing of what runs
        yield from found


def _differences(scene: Scene, run: "Run") -> Iterator[Finding]:
    wanted = str(scene.outputs.get("engine_config_hash", ""))
    if run.configuration and wanted and run.configuration != wanted:
        yield _finding(scene, run, "configuration", expected=wanted, found=run.configuration, next_step=ROLL)
    if run.version and run.version != (expected := version("firnline-ingest")):
        yield _finding(scene, run, "version", expected=expected, found=run.version, next_step=ROLL)
    own = {body_fingerprint(key) for key in _keys(scene)}
    if foreign := sorted(set(run.fingerprints) - own):
        step = "find out whose key that is; `firnline keys rotate` where a rotation stopped half-way"
        known = ", ".join(sorted(own)) or NOTHING
        yield _finding(scene, run, "keys", expected=known, found=", ".join(foreign), next_step=step)


def _keys(scene: Scene) -> Iterator[str]:
    slots: Any = scene.spec.snowflake.ingest.public_keys
    yield from filter(None, (slots.slot_1, slots.slot_2))


def _finding(scene: Scene, run: "Run", path: str, *, expected: str, found: str, next_step: str) -> Finding:
    return Finding(
        kind=KIND,
        name=scene.blueprint.names.application,
        path=path,
        expected=expected,
        found=found,
        source=Source.ENGINE,
        next_step=f"{next_step} (run {run.run_id}, {run.holder})",
    )
