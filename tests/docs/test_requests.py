"""docs/design/requests.md is what a run recorded, and names what the services' models have."""

import json
from pathlib import Path

from docs.tools.requests import PAGE, judges, of_page, page, recorded
from firnline_local.service_models.liberties import LIBERTIES, MOTO
from firnline_local.service_models.models import operation_model

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_as_the_tool_writes_it() -> None:
    """`python -m docs.tools.requests FOLDER` adds to it, and changes nothing else."""
    assert page(TEXT, {}) == TEXT


def test_every_row_is_an_operation_with_members_of_its_model() -> None:
    asked = of_page(TEXT)
    assert ("dynamodb", "UpdateItem") in asked
    for (service, name), fields in asked.items():
        shape = operation_model(service, name).input_shape
        assert fields <= set(shape.members if shape else ()), (service, name)


def test_a_record_adds_what_is_new_and_leaves_out_what_no_model_has(tmp_path: Path) -> None:
    notes = [
        {"service": "dynamodb", "operation": "RestoreTableFromBackup", "fields": ["BackupArn", "Colour"]},
    ]
    (tmp_path / "1.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in notes))
    written = page(TEXT, recorded(tmp_path))
    assert "| dynamodb | RestoreTableFromBackup | BackupArn | botocore's model, moto |\n" in written
    assert page(written, recorded(tmp_path)) == written
    assert set(of_page(TEXT)) < set(of_page(written))


def test_what_moto_may_answer_beside_the_models_is_listed_by_its_version() -> None:
    assert f"Of moto {MOTO}:\n" in TEXT
    for each in LIBERTIES:
        assert f"* {each.service}, {each.operation}: `{each.path}`: {each.why}\n" in TEXT


def test_who_judges_is_said_by_operation() -> None:
    assert judges("kinesis", "GetRecords") == "botocore's model, the imitation, kinesis-mock, kinesalite"
    assert judges("iam", "GetRole") == "botocore's model, moto"
