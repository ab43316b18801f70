"""Changes behind the stack's back: each is found, once, and nothing else is."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.drift.ignore import Entry, IgnoreList
from firnline_infra.rollout.startable import refused_at_start
from firnline_ingest.checks import Cause
from firnline_ingest.config.model import EngineConfig
from tests.infra.drift.changes import changes, losses
from tests.infra.drift.conftest import Change, Made
from tests.infra.drift.replacements import engine_wrote

PAGE = Path(__file__).parents[3] / "docs" / "drift.md"
pytestmark = pytest.mark.contract


@pytest.mark.parametrize(
    "made",
    [*(pytest.param(name, marks=pytest.mark.slow) for name in ("dev", "staging")), "prod"],
    indirect=True,
    scope="module",
)
def test_each_change_is_one_finding_and_a_clean_environment_has_none(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    if made.name == "staging":
        engine_wrote(made)
    clean = made.drift()
    assert (clean.findings, clean.unseen, clean.exit_status) == ((), (), 0)

    assert refused(made) == []
    as_the_role_that_reads(made)
    replaced_by_an_administrator(made)

    monkeypatch.setattr("firnline_ingest.ledger.lease.is_alive", lambda *_: True)
    tried = list(one_by_one(made, changes(made)))
    done = [each for each in tried if each.undo is None]
    assert len(done) >= 30
    report = made.drift()
    found, wanted = (
        {finding.key for finding in report.findings},
        set[tuple[str, str]]().union(*(change.keys for change in done)),
    )
    assert (sorted(wanted - found), sorted(found - wanted)) == ([], [])
    assert len(report.findings) == len(wanted)
    assert {finding.cause for finding in report.findings} == {Cause.CHANGED}
    assert (report.unseen, report.exit_status) == ((), 3)
    assert all(finding.next_step for finding in report.findings)

    lost = list(losses(made))
    assert undocumented([*tried, *lost]) == []
    for change in lost:
        change.does()
    after = {finding.key for finding in made.drift().findings}
    assert sorted(refused(made)) == REFUSED[made.name]
    wanted = {change.key for change in lost}
    assert (sorted(wanted - after), sorted(after - found - wanted)) == ([], [])


REFUSED = {
    "dev": [
        "Stream orders is not there.",
        "Table FIRNLINE_DEV.RAW.ORDERS of stream orders is not there, or can't be seen, and role FIRNLINE_DEV_INGEST has no "
        "right on it.",
    ],
    "staging": [
        "Pipe FIRNLINE_STAGING.RAW.CLICKS_TYPED of stream clicks is not there, or can't be seen, and role "
        "FIRNLINE_STAGING_INGEST_CLICKS has no right on it."
    ],
    "prod": [],
}
"""What a deploy would find of these losses before it stops anything: a table of another owner is there."""


REPLACED = {
    "staging": ("snowflake table", "FIRNLINE_STAGING.RAW.CLICKS", "CREATE OR REPLACE TABLE {name} (A INT)"),
    "prod": (
        "snowflake interactive table",
        "FIRNLINE_PROD.LIVE.PRICES",
        "CREATE OR REPLACE INTERACTIVE TABLE {name} (SYMBOL VARCHAR) CLUSTER BY (SYMBOL)",
    ),
}
"""The new one is its maker's, and no role of the environment has a grant on it."""


def replaced_by_an_administrator(made: Made) -> None:
    """To both roles of the environment it is there, with its owner, and nothing is called gone for it."""
    if made.name not in REPLACED:
        return
    names, (kind, name, statement) = blueprint_of(made.spec).names, REPLACED[made.name]
    made.sql(statement.format(name=name))
    admin = made.environment.logins["admin"].user
    made.sql(f"GRANT ROLE {names.deploy_role.sql} TO USER {admin}")
    for role in (names.deploy_role.name, names.preview_role.name):
        report = made.drift(role=role)
        (unseen,) = (each for each in report.unseen if each.object == f"{kind} {name}")
        assert (unseen.path, "role ACCOUNTADMIN owns it" in unseen.found) == ("sight", True)
        assert (f"{kind} {name}", "exists") not in {each.key for each in report.findings}
    made.sql(f"ALTER TABLE {name} RENAME TO {name}_THEIRS; UNDROP TABLE {name}; DROP TABLE {name}_THEIRS")


def refused(made: Made) -> list[str]:
    said: list[str] = []
    config = EngineConfig.model_validate(made.stack.outputs["engine_config"])
    found = refused_at_start(config, made.spec, made.accounts(), said.append)
    assert said == []
    return [each.what for each in found]


def one_by_one(made: Made, all_changes: Iterable[Change]) -> Iterator[Change]:
    """Makes each change, and looks at its object: the one finding more is the change's."""
    known: set[tuple[str, str]] = set()
    for change in all_changes:
        assert change.key not in known
        change.does()
        found = made.drift_of(change.object)
        assert found - known == change.keys
        if change.undo is None:
            known |= change.keys
        else:
            change.undo()
            assert made.drift_of(change.object) <= known
        yield change


def undocumented(tried: Iterable[Change]) -> list[str]:
    """Returns what the page's table of changes does not have yet, as a row would say it."""
    rows = [line.split(" | ", 1) for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    table = {row[0].removeprefix("| "): row[1] for row in rows}
    missing = []
    for change in tried:
        noun = change.object.removesuffix(" configuration").rpartition(" ")[0]
        path = re.sub(r"arn:\S+", "ARN", re.sub(r"FIRNLINE_[A-Z_]+(\.[A-Z]+)*", "NAME", change.path))
        if f"`{path}`" not in table.get(noun, ""):
            missing.append(f"| {noun} | `{path}` |")
    return missing


def as_the_role_that_reads(made: Made) -> None:
    """Nothing that it can't see is a difference: policies, which show themselves to their owner alone, and what was taken from
    it. All the rest it compares, and a team may live with what it does not see.
    """
    names = blueprint_of(made.spec).names
    made.sql(f"GRANT ROLE {names.preview_role.sql} TO USER {made.environment.logins['admin'].user}")
    policies = {"prod": ["authentication policy FIRNLINE_PROD.RAW.FIRNLINE_PROD_KEY_PAIR_ONLY"]}.get(made.name, [])
    policies += [f"stage {each.name}" for each in blueprint_of(made.spec).landing.stages]
    policies += {"prod": [f"network policy {names.network_policy}"]}.get(made.name, [])
    unseen = sorted(f"snowflake {each}" for each in policies)
    report = made.drift(role=names.preview_role.name)
    assert (report.differences, sorted(each.object for each in report.unseen)) == ((), unseen)
    assert report.exit_status == (2 if unseen else 0)
    if unseen:
        known = [
            Entry(object=each, property="sight", reason="its owner alone sees it", until=date.max) for each in unseen
        ]
        assert made.drift(role=names.preview_role.name, ignoring=IgnoreList(tuple(known))).exit_status == 0
        return
    schema = f"FIRNLINE_{made.name.upper()}.RAW"
    made.sql(f"REVOKE USAGE ON SCHEMA {schema} FROM ROLE {names.preview_role.sql}")
    report = made.drift(role=names.preview_role.name)
    made.sql(f"GRANT USAGE ON SCHEMA {schema} TO ROLE {names.preview_role.sql}")
    assert (report.differences, report.exit_status) == ((), 2)
    assert f"snowflake table {schema}.ORDERS" in {each.object for each in report.unseen}
