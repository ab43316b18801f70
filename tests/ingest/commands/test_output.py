"""The forms in which the engine's commands answer, and where they print."""

import json
from argparse import ArgumentParser, Namespace
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from firnline_ingest.commands import columns, output
from firnline_ingest.commands.output import add_output, plain_echo, show
from firnline_ingest.ledger import provision
from firnline_ingest.ledger.column_note import ColumnDecision, ColumnNote, PlannedColumn

PLANNED = PlannedColumn("page", "PAGE VARCHAR", "shardId-1", sequence_number="77", records=3, seen_ms=1)


def asked(form: str, **more: Any) -> Namespace:
    return Namespace(output=form, echo=plain_echo, **more)


def test_a_document_is_the_same_in_json_and_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"at": 1, "names": ["a: b", "\u00e9"], "none": None}
    show(asked("json"), lambda: document, str)
    as_json = capsys.readouterr().out
    show(asked("yaml"), lambda: document, str)
    assert json.loads(as_json) == yaml.safe_load(capsys.readouterr().out) == document
    show(asked("table"), lambda: document, lambda: "for people")
    assert capsys.readouterr().out == "for people\n"


def test_yaml_is_offered_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def parsed(*arguments: str) -> str:
        parser = ArgumentParser()
        add_output(parser)
        return str(parser.parse_args(arguments).output)

    assert parsed("-o", "yaml") == "yaml"
    monkeypatch.setattr(output, "find_spec", lambda _: None)
    assert parsed("-o", "json") == "json"
    with pytest.raises(SystemExit):
        parsed("-o", "yaml")
    assert "invalid choice" in capsys.readouterr().err


def test_columns_that_wait_are_a_document_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    note = ColumnNote("2026", {}, planned={"PAGE": PLANNED})
    ledger = SimpleNamespace(column_note=lambda _: note)
    monkeypatch.setattr(provision, "open_ledger", lambda _: ledger)
    monkeypatch.setattr("firnline_ingest.planned_columns.chosen_tables", lambda *_: ["LAKE.RAW.ORDERS"])
    options = {"approve": None, "decline": None, "forget": None, "table": None}
    assert columns.COLUMNS.run(SimpleNamespace(), asked("json", **options)) == 0  # type: ignore[arg-type] # no more is read
    (column,) = json.loads(capsys.readouterr().out)["columns"]
    assert (column["table"], column["decision"], column["records"]) == ("LAKE.RAW.ORDERS", ColumnDecision.OPEN, 3)
    columns.COLUMNS.run(SimpleNamespace(), asked("table", **options))  # type: ignore[arg-type] # no more is read
    assert capsys.readouterr().out.startswith("LAKE.RAW.ORDERS: planned PAGE VARCHAR, first in record 77 of ")
