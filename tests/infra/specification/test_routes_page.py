"""docs/routes.md shows one pipeline twice: as a specification has it, and as it comes out in engine.json."""

import json
import re
from pathlib import Path

import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.engine_config import engine_config
from firnline_infra.environment import Environment
from tests.infra.specifications import smallest

PAGE = (Path(__file__).parents[3] / "docs" / "routes.md").read_text(encoding="utf-8")


def test_both_examples_are_one_pipeline() -> None:
    (in_a_specification,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (in_engine_json,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    spec = smallest(**yaml.safe_load(in_a_specification))
    (written,) = engine_config(Environment.of(spec), blueprint_of(spec).outputs)["pipelines"]
    shown = json.loads(in_engine_json)
    assert {name: written[name] for name in shown} == shown
