"""Changes behind the stack's back: each is found, once, and nothing else is."""

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.observe import Cause
from tests.infra.drift.changes import changes
from tests.infra.drift.conftest import Made

pytestmark = pytest.mark.contract


def test_each_change_is_one_finding_and_a_clean_environment_has_none(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = made.drift()
    assert (clean.findings, clean.unseen, clean.exit_status) == ((), (), 0)

    if made.name == "prod":
        sees_less(made)

    monkeypatch.setattr("firnline_ingest.ledger.lease.is_alive", lambda *_: True)
    done = list(changes(made))
    assert len(done) >= 30
    for change in done:
        change.does()
    report = made.drift()
    found, wanted = {finding.key for finding in report.findings}, {(change.object, change.path) for change in done}
    assert (sorted(wanted - found), sorted(found - wanted)) == ([], [])
    assert len(report.findings) == len(done)
    assert {finding.cause for finding in report.findings} == {Cause.CHANGED}
    assert (report.unseen, report.exit_status) == ((), 3)
    assert all(finding.next_step for finding in report.findings)


def sees_less(made: Made) -> None:
    """The role of previews is shown no policy, and that is no difference: it is something that could not be seen."""
    names = blueprint_of(made.spec).names
    made.sql(f"GRANT ROLE {names.preview_role.sql} TO USER {made.environment.logins['admin'].user}")
    report = made.drift(role=names.preview_role.name)
    assert (report.differences, report.exit_status) == ((), 2)
    assert {"the stack", f"the properties of snowflake network policy {names.network_policy}"} <= {
        each.name for each in report.unseen
    }
