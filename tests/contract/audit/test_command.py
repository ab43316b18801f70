"""`firnline audit` on real services: its exit statuses, and what it says where it could not look."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firnline_infra.audit import audit
from firnline_infra.audit.errors import ErrorTableUnreadable, TableUnreadable, WarehouseUnusable
from firnline_infra.cli.main import main

from .conftest import Lane

pytestmark = pytest.mark.contract


@pytest.fixture
def command(lane: Lane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs `firnline audit` on the lane; its exit status."""
    config_file = tmp_path / "engine.json"
    config_file.write_text(lane.config().model_dump_json(by_alias=True))
    reader = lane.reader()

    def run(*options: str, role: str = reader.role) -> int:
        given = ["--config", str(config_file), "--reader-user", reader.user, "--reader-key", str(reader.key_file)]
        monkeypatch.setattr(sys, "argv", ["firnline", "audit", *given, "--reader-role", role, *options])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return ended.value.code

    return run


def test_the_command_ends_with_0_for_a_proof(
    lane: Lane, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--content", "--output", "json") == 0
    assert json.loads(capsys.readouterr().out)["proven"] is True


def test_the_command_ends_with_3_for_a_problem(
    lane: Lane, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 5")
    assert command() == 3
    assert "NOT PROVEN, of 23 records: 1 missing." in capsys.readouterr().out


def test_the_command_ends_with_2_where_it_could_not_look(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(role="SYSADMIN") == 2
    assert "[FL-3011]" in capsys.readouterr().err


def test_a_table_that_is_not_there_is_said(lane: Lane) -> None:
    lane.sql(f"DROP TABLE {lane.name}")
    with pytest.raises(TableUnreadable, match=f"GRANT SELECT ON TABLE {lane.name}"):
        lane.audit()


def test_a_reader_that_may_not_see_rejected_rows_is_told_what_it_lacks(lane: Lane) -> None:
    lane.sql(f"REVOKE SELECT ERROR TABLE ON TABLE {lane.name} FROM ROLE {lane.reader().role}")
    with pytest.raises(ErrorTableUnreadable, match="GRANT SELECT ERROR TABLE"):
        lane.audit()


def test_a_warehouse_that_is_not_there_is_said(lane: Lane) -> None:
    with pytest.raises(WarehouseUnusable, match="NOWHERE"):
        audit(lane.config(), lane.reader(warehouse="NOWHERE"))


def test_a_table_that_keeps_no_rejected_rows_is_audited_with_a_remark(lane: Lane) -> None:
    lane.sql(f"ALTER TABLE {lane.name} SET ERROR_LOGGING = FALSE")
    report = lane.audit()
    assert report.is_proven
    assert any("ERROR_LOGGING is off" in remark for remark in report.remarks)
