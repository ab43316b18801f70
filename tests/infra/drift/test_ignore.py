from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from firnline_infra.drift.errors import IgnoreListRefused
from firnline_infra.drift.ignore import IgnoreList, ignore_file_of, load_ignore_list
from firnline_infra.drift.suite import drift_report
from firnline_ingest.checks import Finding, unknown

TODAY = date(2026, 11, 22)
ENTRY = "{object: kinesis stream orders, property: tags.*, reason: the cost tool, until: 2026-12-31}"


def finding(kind: str = "kinesis stream", name: str = "orders", path: str = "tags.who") -> Finding:
    return Finding(kind=kind, name=name, path=path, expected="nothing", found="me", rule="stack")


def loaded(tmp_path: Path, *entries: str) -> IgnoreList:
    path = ignore_file_of(tmp_path / "dev.yaml")
    path.write_text("ignore:\n" + "".join(f"  - {entry}\n" for entry in entries))
    assert path.name == "dev.drift.yaml"
    return load_ignore_list(path, today=TODAY)


def test_what_is_ignored_is_still_told_and_the_rest_counts(tmp_path: Path) -> None:
    others = [finding(name="clicks"), finding(path="retentionPeriod"), finding(kind="kinesis stream consumer")]
    report = drift_report("dev", [finding(), *others], ignoring=loaded(tmp_path, ENTRY))
    assert [each.finding for each in report.ignored] == [finding()]
    assert set(report.findings) == set(others)
    assert (report.exit_status, report.notes) == (3, ())


def test_an_entry_for_which_nothing_differs_is_told_unless_something_could_not_be_seen(tmp_path: Path) -> None:
    ignoring = loaded(tmp_path, ENTRY)
    (note,) = drift_report("dev", [], ignoring=ignoring).notes
    assert "take the entry out" in note
    unseen = unknown("the stack", "no CLI", next_step="install it")
    blind = drift_report("dev", [unseen], ignoring=ignoring)
    assert (blind.notes, blind.exit_status) == ((), 2)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{object: kinesis stream orders, property: tags, until: 2026-12-31}", "reason: is required"),
        ("{object: kinesis stream orders, property: tags, reason: ' ', until: 2026-12-31}", "without a reason"),
        ("{object: kinesis stream orders, property: tags, reason: r, until: 2026-11-21}", "expired on 2026-11-21"),
        ("{object: kinesis stream orders, property: tags, reason: r, until: 2028-01-01}", "more than a year"),
        ("{object: kinesis stream orders, property: tags, reason: r}", "until: is required"),
        ("{object: '*', property: tags, reason: r, until: 2026-12-31}", "would ignore everything"),
        ("{object: kinesis stream orders, property: '*', reason: r, until: 2026-12-31}", "would ignore everything"),
        ("{objekt: x, property: tags, reason: r, until: 2026-12-31}", "did you mean 'object'"),
    ],
)
def test_an_entry_that_may_not_stand_is_refused(tmp_path: Path, entry: str, said: str) -> None:
    with pytest.raises(IgnoreListRefused, match=said):
        loaded(tmp_path, ENTRY, entry)


def test_a_star_in_place_of_a_kind_or_of_most_of_a_name_hides_nothing(tmp_path: Path) -> None:
    wide = [
        "{object: 'kinesis*', property: tags.who, reason: r, until: 2026-12-31}",
        "{object: 'kinesis stream *', property: tags.who, reason: r, until: 2026-12-31}",
        "{object: 'kinesis str*', property: tags.who, reason: r, until: 2026-12-31}",
    ]
    report = drift_report("dev", [finding()], ignoring=loaded(tmp_path, *wide))
    assert (report.findings, len(report.notes)) == ((finding(),), 3)


def test_the_same_property_seen_by_two_checks_is_one_finding() -> None:
    again = replace(finding(), found="x", rule="user")
    assert drift_report("dev", [finding(), again], ignoring=IgnoreList()).findings == (finding(),)
