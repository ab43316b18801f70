"""A blueprint is golden: what changes here changes accounts that live. FIRNLINE_WRITE_GOLDEN=1 writes it anew.

It is of an environment with what `prod` lacks. Those that are shipped are seen in what Pulumi and Terraform make of them
(tests/infra/terraform/golden), in the bootstrap and in the engine's document.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds.streams import STREAM
from firnline_infra.kinds.tables import TABLE
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.identifier import Identifier, QualifiedName

GOLDEN = Path(__file__).parent / "golden"


def plain(value: Any) -> Any:
    if isinstance(value, Identifier | QualifiedName | Reference):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.compare}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def test_the_blueprint_is_the_reviewed_one(wide_spec: EnvironmentSpec) -> None:
    text = json.dumps(plain(blueprint_of(wide_spec)), indent=2) + "\n"
    golden = GOLDEN / "wide.json"
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
        pytest.fail(f"{golden.name} was written: review it, and run the test again")
    assert text == golden.read_text(encoding="utf-8")


def test_streams_are_what_the_specification_says(wide_spec: EnvironmentSpec) -> None:
    tags = {
        "team": "data",
        "firnline:environment": "prod",
        "firnline:application": "lake",
        "firnline:component": "stream",
    }
    key = "arn:aws:kms:eu-central-1:123456789012:alias/lake"  # until its ARN is recorded
    clicks, lines = (each.arguments for each in STREAM.instances(blueprint_of(wide_spec)))
    assert (clicks["name"], clicks["shard_count"], clicks["retention_period"]) == ("clicks", 2, 168)
    assert (lines["name"], lines["stream_mode_details"]) == ("order-lines", {"stream_mode": "ON_DEMAND"})
    assert [(each["kms_key_id"], each["tags"]) for each in (clicks, lines)] == [(key, tags)] * 2


def test_the_ledger_is_keyed_by_stream_and_shard_and_billed_per_request(wide_spec: EnvironmentSpec) -> None:
    (table,) = [each.arguments for each in TABLE.instances(blueprint_of(wide_spec))]
    assert (table["name"], table["hash_key"], table["range_key"]) == ("lake-ledger", "stream", "shard")
    assert table["billing_mode"] == "PAY_PER_REQUEST"
    assert table["tags"]["firnline:component"] == "ledger"


def test_what_two_pipelines_share_is_made_once(wide_spec: EnvironmentSpec) -> None:
    landing = blueprint_of(wide_spec).landing
    assert (len(landing.databases), len(landing.schemas), len(landing.tables)) == (1, 1, 2)


def test_the_same_specification_gives_the_same_blueprint(wide_spec: EnvironmentSpec) -> None:
    assert blueprint_of(wide_spec) == blueprint_of(wide_spec)
