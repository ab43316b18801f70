"""The examples: each specification is good by itself, and together in one environment each comes out as it says."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.specification import EnvironmentSpec, load_spec, parse_spec
from firnline_infra.specification.names import Names
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.environment import LocalEnvironment
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.e2e
EXAMPLES = Path(__file__).parents[2] / "examples"
RUNNING = sorted(each.parent for each in EXAMPLES.glob("*/rows.sql"))


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEnvironment]:
    """All examples' streams and pipelines in one environment, after one run of the engine: more starts of Spark show no more."""
    specs = [yaml.safe_load((each / "environment.yaml").read_text(encoding="utf-8")) for each in RUNNING]
    whole: dict[str, Any] = {**specs[0], "name": "examples", "streams": [], "pipelines": []}
    for spec in specs:
        whole["snowflake"] = {**whole["snowflake"], **spec["snowflake"]}
        for section in ("streams", "pipelines"):
            whole[section] = whole[section] + spec[section]
    folder = tmp_path_factory.mktemp("examples")
    with LocalEnvironment(folder, parse_spec(yaml.safe_dump(whole), "examples.yaml")) as environment:
        for records in [file for each in RUNNING for file in each.iterdir() if file.suffix in (".ndjson", ".csv")]:
            environment.put_events(records.stem, records.read_bytes().splitlines())
        for producer in EXAMPLES.glob("*/put.py"):
            subprocess.run([sys.executable, producer], env=os.environ | environment.variables, check=True, timeout=60)
        config, log = folder / "examples.json", folder / "engine.log"
        config.write_text(json.dumps(environment.engine_config()), encoding="utf-8")
        with EngineProcess(config, environment.variables, available_now=True, log_file=log) as engine:
            assert engine.wait(timeout_s=240) == 0, log.read_text(encoding="utf-8")
        yield environment


@pytest.mark.slow
@pytest.mark.parametrize("example", RUNNING, ids=lambda each: each.name)
def test_an_example_comes_out_as_it_says(example: Path, ingested: RunningEnvironment) -> None:
    query = (example / "rows.sql").read_text(encoding="utf-8")
    said = [json.loads(line) for line in (example / "rows.json").read_text(encoding="utf-8").splitlines()]
    assert [[plain(value) for value in row] for row in ingested.query(query, login="admin")[1]] == said


def plain(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    return json.loads(value) if isinstance(value, str) and value.startswith("[") else value


@pytest.mark.parametrize(
    "file", sorted(EXAMPLES.glob("*/[!P]*.yaml")), ids=lambda file: f"{file.parent.name}/{file.stem}"
)
def test_the_specification_of_an_example_is_good_by_itself(file: Path) -> None:
    assert blueprint_of(load_spec(file))


def test_two_teams_in_one_account_have_nothing_of_one_name() -> None:
    """Streams, ledgers, buckets, users, roles, tables: whatever a blueprint names."""
    one, other = (names_of(load_spec(file)) for file in sorted((EXAMPLES / "two-teams").glob("*.yaml")))
    assert {name for name in one if "team-a" in name.lower().replace("_", "-")}
    assert {name for name in one & other if "team" in name.lower()} == set()


def names_of(spec: EnvironmentSpec) -> set[str]:
    names = Names.of(spec)
    landing = blueprint_of(spec).landing
    tables = {str(table.name) for table in landing.tables}
    return tables | {str(names.ingest.role), str(names.reader.role), names.application} | {e.name for e in spec.streams}


def test_every_example_is_on_the_page() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [each.name for each in EXAMPLES.iterdir() if each.is_dir() and f"]({each.name}/" not in page] == []
