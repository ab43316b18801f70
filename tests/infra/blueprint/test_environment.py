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
