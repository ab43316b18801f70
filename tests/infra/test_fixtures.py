"""Tests of what 0.1.0 wrote is read by today's code as 0.1.0 meant it: a ledger's row, an engine's configuration, a
specification.

The files of tests/fixtures are never written again. A version that can't read one converts it, and says so in the changelog.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.environment import Environment
from firnline_infra.specification import parse_spec
from firnline_ingest.config.load import load_config
from firnline_ingest.errors import ConfigError
from firnline_ingest.ledger.item import from_item, to_item
from firnline_ingest.ledger.item_table import deserialized, serialized
from tests.ingest.ledger.test_item import ROW

OF_0_1_0 = Path(__file__).parents[1] / "fixtures" / "0.1.0"
HASH = "83770d9028cc2eac"
"""Of engine.json: another one would roll every engine that is upgraded."""

NULL_IN_EVERY_ROW = ("$1:id", "$1:ID")
"""A path of its pipe's SELECT, which 0.1.0 took, and what is meant: csv makes the key ID."""


def test_a_row_of_the_ledger_is_read_whole_and_is_written_so_that_0_1_0_reads_it() -> None:
    recorded = json.loads((OF_0_1_0 / "ledger-row.json").read_text())
    assert from_item(deserialized(recorded)) == replace(ROW, totals=None, left_out=()), "0.1.0 kept neither"
    assert recorded.items() <= serialized(to_item(ROW)).items()


def test_an_engines_configuration_is_read_whole_and_keeps_its_hash() -> None:
    config = load_config(OF_0_1_0 / "engine.json")
    assert config.content_hash == HASH
    assert [pipeline.stream for pipeline in config.pipelines] == ["orders", "clicks", "prices"]
    assert config.pipelines[0].tables == ("ORDERS", "REFUNDS", "FILED", "RECENT")
    assert config.pipelines[-1].access.roles[0].external_id == "firnline"


def test_a_specification_leads_to_the_same_configuration() -> None:
    text = (OF_0_1_0 / "rich.yaml").read_text(encoding="utf-8")
    with pytest.raises(ConfigError, match="keys keep their case, and it is called ID"):
        parse_spec(text, "rich.yaml")
    spec = parse_spec(text.replace(*NULL_IN_EVERY_ROW), "rich.yaml")
    document = engine_config(Environment.of(spec), blueprint_of(spec).outputs)
    recorded = json.loads((OF_0_1_0 / "engine.json").read_text())
    recorded["pipelines"][0]["reader"] = document["pipelines"][0][
        "reader"
    ]  # the consumer's ARN is known once it is made
    assert document == recorded
