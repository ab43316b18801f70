from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.observe import readback
from firnline_infra.observe.readback import columns, differing, properties, sorting, stage_findings
from firnline_infra.specification import load_spec
from firnline_ingest.checks import Finding

WANTED = {"schema_evolution": True, "error_logging": False}
ALTER = 'ALTER TABLE "DB"."RAW"."T"'


def found(row: dict[str, Any]) -> list[Finding]:
    return list(properties("table T", WANTED, row, alter=ALTER))


@pytest.mark.parametrize(("on", "off"), [("Y", "OFF"), ("ON", "N"), ("true", "false"), (True, False)])
def test_a_switch_is_read_however_snowflake_writes_it(on: object, off: object) -> None:
    assert found({"enable_schema_evolution": on, "error_logging": off}) == []


def test_a_switch_that_was_turned_is_found_with_the_statement_that_turns_it_back() -> None:
    assert found({"enable_schema_evolution": "N", "error_logging": "ON"}) == [
        differing("table T", "ENABLE_SCHEMA_EVOLUTION", "TRUE", "FALSE", f"{ALTER} SET ENABLE_SCHEMA_EVOLUTION = TRUE"),
        differing("table T", "ERROR_LOGGING", "FALSE", "TRUE", f"{ALTER} SET ERROR_LOGGING = FALSE"),
    ]


@pytest.mark.parametrize("said", [None, "", "perhaps"])
def test_an_answer_that_says_nothing_is_a_finding(said: object) -> None:
    (finding,) = found({"enable_schema_evolution": said, "error_logging": "OFF"})
    assert (finding.path, finding.repair) == ("ENABLE_SCHEMA_EVOLUTION", "")


def test_a_column_of_the_answer_that_is_missing_is_a_finding() -> None:
    (finding,) = found({"error_logging": "OFF"})
    assert finding == differing("table T", "ENABLE_SCHEMA_EVOLUTION", "TRUE", "nothing")


def described(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "type": type_} for name, type_ in types.items()]


def test_columns_that_evolution_added_are_no_drift() -> None:
    assert list(columns("T", {"META": "OBJECT"}, described(META="OBJECT", N="NUMBER(38,0)", S="VARCHAR(16)"))) == []


def test_a_column_that_was_removed_is_drift() -> None:
    assert list(columns("T", {"META": "OBJECT"}, described(N="NUMBER(38,0)"))) == [
        differing("T", "column META", "OBJECT", "nothing")
    ]


def test_a_column_that_was_retyped_is_drift() -> None:
    assert list(columns("T", {"META": "OBJECT"}, described(META="VARIANT"))) == [
        differing("T", "column META", "OBJECT", "VARIANT")
    ]


def test_lengths_are_snowflakes_own_affair() -> None:
    assert list(columns("T", {"KEY": "VARCHAR"}, described(KEY="VARCHAR(16777216)"))) == []


def test_a_table_without_an_answer_about_its_columns_is_a_finding() -> None:
    assert list(columns("T", {"META": "OBJECT"}, [])) == [differing("T", "columns", "META", "nothing")]


@pytest.mark.parametrize("said", ["(A, B)", "LINEAR(A, B)", 'LINEAR("A","B")'])
def test_a_sorting_is_read_however_snowflake_writes_it(said: str) -> None:
    assert list(sorting("T", ["A", "B"], {"cluster_by": said})) == []


@pytest.mark.parametrize("said", ["", None, "(B, A)", "(A)"])
def test_another_sorting_is_a_finding(said: str | None) -> None:
    (finding,) = sorting("T", ["A", "B"], {"cluster_by": said})
    assert finding.path == "CLUSTER_BY"


@pytest.mark.parametrize(
    ("role", "listed", "comment", "repairs"),
    [
        ("FIRNLINE_DEV_DEPLOY", "ORDERS_DEAD_LETTERS", "", []),
        ("FIRNLINE_DEV_DEPLOY", "ORDERS_DEAD_LETTERS", "mine", ["ALTER STAGE "]),
        ("FIRNLINE_DEV_DEPLOY", "orders_letters", "", ["CREATE STAGE"]),
        ("FIRNLINE_DEV_PREVIEW", "nothing", "", []),
    ],
)
def test_a_stage_that_is_gone_is_found_by_who_could_see_it(
    spec_file: Path, monkeypatch: pytest.MonkeyPatch, role: str, listed: str, comment: str, repairs: list[str]
) -> None:
    spec_file.write_text(spec_file.read_text().replace("table: ORDERS", "table: ORDERS, file_replay: true"))
    blueprint = blueprint_of(load_spec(spec_file))
    (stage,) = blueprint.landing.stages
    monkeypatch.setattr(readback, "current_role", lambda _: role)
    monkeypatch.setattr(
        readback, "rows_if_there", lambda *_: [{"name": listed, "url": "", "comment": comment or stage.comment}]
    )
    found = stage_findings(blueprint, stage, session=None)
    assert [each.repair[:12] for each in found] == repairs


def test_a_stage_that_lies_in_somebody_s_bucket_is_found(spec_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec_file.write_text(spec_file.read_text().replace("table: ORDERS", "table: ORDERS, file_replay: true"))
    blueprint = blueprint_of(load_spec(spec_file))
    (stage,) = blueprint.landing.stages
    row = {"name": stage.name.parts[-1].name, "url": "s3://strangers/files/"}
    monkeypatch.setattr(readback, "current_role", lambda _: blueprint.names.deploy_role.name)
    monkeypatch.setattr(readback, "rows_if_there", lambda *_: [row])
    (found,) = stage_findings(blueprint, stage, session=None)
    assert (found.path, found.found, found.repair) == ("URL", "s3://strangers/files/", "")
