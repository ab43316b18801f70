"""`stop` by hand: what it says of the engine that runs, and of the one that comes after it."""

from argparse import Namespace
from types import SimpleNamespace

import pytest

from firnline_ingest.commands import stop as program
from firnline_ingest.commands.output import plain_echo
from firnline_ingest.ledger import lease, provision
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.standby import Standby, StandbyState
from tests.fakes.ledger import MemoryLedger


def stop(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provision, "open_ledger", lambda _: ledger)
    monkeypatch.setattr(lease, "is_alive", lambda *_: True)
    assert program.stop(SimpleNamespace(application="orders"), Namespace(echo=plain_echo)) == 0  # type: ignore[arg-type]  # no more is read


def test_an_engine_is_asked_to_stop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = MemoryLedger()
    ledger.begin_run(Run("old", "old-host"), None)

    stop(ledger, monkeypatch)

    assert capsys.readouterr().out == (
        "Asked old-host to stop; it proves its last rows first, which takes some seconds.\n"
    )


@pytest.mark.parametrize(("state", "is_told"), [(StandbyState.READY, True), (StandbyState.ENDED, False)])
def test_one_that_was_let_in_and_takes_over_then_is_told(
    state: StandbyState, is_told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = MemoryLedger()
    ledger.begin_run(Run("old", "old-host"), None)
    ledger.stand_by(Standby("new", "new-host", "s", state=state, is_admitted=True), ledger.standby())

    stop(ledger, monkeypatch)

    assert ("new-host was let in by a deploy" in capsys.readouterr().out) is is_told
