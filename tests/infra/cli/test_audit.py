import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firnline_infra.audit import AuditReport, PipelineReport
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.window import AuditWindow
from firnline_infra.cli.main import firnline
from firnline_infra.status.checks import last_checks


class Audit:
    """Stands in for the audit itself: notes what it was asked, and finds what it is told to."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.findings = ShardFindings("shardId-000000000000")

    def __call__(self, config: Any, reader: Any, **options: Any) -> AuditReport:
        self.asked = {"config": config, "reader": reader, **options}
        options["on_shard"]("orders", self.findings)
        pipeline = PipelineReport(
            stream="orders",
            tables=("DB.RAW.ORDERS",),
            window=AuditWindow(None, 0),
            compares_contents=options["content"],
            shards=[self.findings],
        )
        return AuditReport([pipeline])


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> Audit:
    stand_in = Audit()
    monkeypatch.setattr("firnline_infra.audit.audit", stand_in)
    return stand_in


@pytest.fixture
def files(tmp_path: Path, engine_document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine.json").write_text(json.dumps(engine_document))
    (tmp_path / "reader.pem").write_text("a key")
    return tmp_path


def run(files: Path, *arguments: str) -> Result:
    given = ["audit", "--config", str(files / "engine.json"), "--reader-key", str(files / "reader.pem")]
    return CliRunner().invoke(firnline, [*given, "--reader-user", "EVE", "--reader-role", "READER", *arguments])


def test_what_is_proven_is_a_table_and_status_0(audit: Audit, files: Path) -> None:
    result = run(files)
    assert result.exit_code == 0
    assert "PROVEN" in result.stdout
    assert result.stderr == "orders/shardId-000000000000: 0 records; no problem\n"


def test_a_problem_is_status_3(audit: Audit, files: Path) -> None:
    audit.findings.report(ProblemKind.MISSING, "100", "because")
    result = run(files)
    assert result.exit_code == 3
    assert "NOT PROVEN" in result.stdout
    (check,) = last_checks(audit.asked["config"].application)
    assert (check.name, check.exit_status, check.summary) == ("audit", 3, "not proven: 0 records")
    assert result.stderr == "orders/shardId-000000000000: 0 records; problems: 1\n"


def test_json_is_the_only_thing_on_stdout(audit: Audit, files: Path) -> None:
    assert json.loads(run(files, "--output", "json").stdout)["proven"] is True


def test_the_reader_is_the_one_that_was_named(audit: Audit, files: Path) -> None:
    run(files, "--warehouse", "WH")
    reader = audit.asked["reader"]
    assert (reader.user, reader.role, reader.key_file, reader.warehouse) == (
        "EVE",
        "READER",
        files / "reader.pem",
        "WH",
    )


def test_the_reader_may_come_from_the_environment(audit: Audit, files: Path) -> None:
    variables = {
        "FIRNLINE_READER_USER": "EVE",
        "FIRNLINE_READER_ROLE": "READER",
        "FIRNLINE_READER_KEY": str(files / "reader.pem"),
    }
    result = CliRunner().invoke(firnline, ["audit", "--config", str(files / "engine.json")], env=variables)
    assert result.exit_code == 0
    assert audit.asked["reader"].user == "EVE"


def test_the_claim_can_be_narrowed(audit: Audit, files: Path) -> None:
    run(
        files,
        *("--pipeline", "orders", "--content", "--since", "2026-01-31T12:00:00Z", "--until", "2026-01-31T14:00+01:00"),
        *("--also-holds", "a", "--also-holds", "b"),
    )
    asked = audit.asked
    assert (asked["stream"], asked["content"], list(asked["also_holds"])) == ("orders", True, ["a", "b"])
    assert asked["since"] == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert asked["until"] == datetime(2026, 1, 31, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "why"), [("2026-01-31T12:00:00", "needs an offset"), ("soon", "not an ISO 8601 time")]
)
def test_a_time_that_means_another_moment_elsewhere_is_refused(audit: Audit, files: Path, time: str, why: str) -> None:
    result = run(files, "--until", time)
    assert result.exit_code == 2
    assert why in result.stderr


def test_the_dead_letters_may_lie_elsewhere_on_this_machine(audit: Audit, files: Path) -> None:
    run(files, "--dead-letters", str(files))
    assert audit.asked["config"].dead_letters.folder == files


def test_each_shard_is_named_with_its_stream_and_its_dead_letters(audit: Audit, files: Path) -> None:
    audit.findings.counts.records, audit.findings.counts.dead_letters = 5, 2
    assert run(files).stderr == "orders/shardId-000000000000: 5 records, 2 of them dead letters; no problem\n"
