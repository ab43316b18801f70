"""The page on targets: each example, from its specification to its rows, by the program, the engine and the real SDK."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.blueprint.engine_config import engine_config, engine_inputs
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import Names
from firnline_local.provisioning import bootstrap
from firnline_local.running import RunningEnvironment

from .watched import Watched

EngineWithoutSpark = Any  # of conftest.py

pytestmark = pytest.mark.contract
PAGE = (Path(__file__).parents[2] / "docs" / "targets.md").read_text(encoding="utf-8")
REST = {
    "version": 1,
    "name": "targets",
    "durability": "EPHEMERAL",
    "aws": {"region": "us-east-1", "account": "000000000000", "key": {"origin": "skip"}},
}


@dataclass(frozen=True)
class Example:
    title: str
    declared: dict[str, Any]
    query: str
    records: tuple[str, ...]
    rows: tuple[str, ...]
    """A row each, or why there is none."""

    @property
    def stream(self) -> str:
        return str(self.declared["streams"][0]["name"])


def examples() -> Iterator[Example]:
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE):
        (declared,), (query,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("yaml", "sql"))
        told = re.findall(r"^\| `(\{.*?\})` \| (.*) \|$", text, re.MULTILINE)
        yield Example(title, yaml.safe_load(declared), query, *zip(*told, strict=True))


EXAMPLES = list(examples())


def spec_of_all() -> EnvironmentSpec:
    snowflake: dict[str, Any] = {"account": "FIRNLINE-LOCAL"}
    for each in EXAMPLES:
        snowflake |= each.declared.get("snowflake", {})
    streams = [{"shards": 1, **stream} for each in EXAMPLES for stream in each.declared["streams"]]
    pipelines = [pipeline for each in EXAMPLES for pipeline in each.declared["pipelines"]]
    whole = {**REST, "snowflake": snowflake, "streams": streams, "pipelines": pipelines}
    return parse_spec(yaml.safe_dump(whole), "targets.yaml")


@pytest.fixture(scope="module")
def engine(
    local_environment: RunningEnvironment, engine_of: Callable[..., EngineWithoutSpark], tmp_path_factory: Any
) -> Iterator[Callable[[str], EngineWithoutSpark]]:
    """The engine of a stream's pipeline, with the environment's role, once all that the page declares was made."""
    spec, watched = spec_of_all(), Watched(local_environment)
    bootstrap(local_environment, spec)
    watched.up(spec)
    login, role = local_environment.logins["ingest"], Names.of(spec).ingest.role
    local_environment.query(f"GRANT ROLE {role.sql} TO USER {login.user}", login="admin")
    pipelines = {each["stream"]: each for each in engine_config(spec, engine_inputs(spec))["pipelines"]}
    letters = {"folder": str(tmp_path_factory.mktemp("letters"))}
    yield lambda stream: engine_of(
        pipeline=pipelines[stream],
        application=f"targets-{stream}",
        snowflake={"role": str(role)},
        dead_letters=letters,
    )
    watched.application.destroy()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stream)
def test_an_example_comes_out_as_the_page_says(
    example: Example, engine: Callable[[str], EngineWithoutSpark], local_environment: RunningEnvironment
) -> None:
    local_environment.put_events(example.stream, (each.encode() for each in example.records))
    made = engine(example.stream)
    assert made.epoch(made.preflight()) == [None]
    found = [[plain(value) for value in row] for row in local_environment.query(example.query, login="admin")[1]]
    assert found == [json.loads(f"[{row.strip('`')}]") for row in example.rows if row.startswith("`")]


def test_every_kind_of_target_is_on_the_page() -> None:
    assert len(EXAMPLES) == len(re.findall(r"^## ", PAGE, re.MULTILINE)) == 7
    shown = re.search(r"^    (pipelines\[0\]\.columns\[1\].*)$", PAGE, re.MULTILINE)
    assert shown is not None
    lake = next(each for each in EXAMPLES if each.stream == "visits")
    (pipeline,) = lake.declared["pipelines"]
    columns = [{**each, "type": "ARRAY"} if each["name"] == "TAGS" else each for each in pipeline["columns"]]
    snowflake = {"account": "A-B", **lake.declared["snowflake"]}
    wrong = {
        **REST,
        "snowflake": snowflake,
        "streams": [{"name": "visits"}],
        "pipelines": [{**pipeline, "columns": columns}],
    }
    with pytest.raises(Exception, match=re.escape(shown[1])):
        parse_spec(yaml.safe_dump(wrong), "wrong.yaml")


def plain(value: object) -> object:
    """As JSON has it."""
    match value:
        case Decimal():
            return int(value) if value == int(value) else float(value)
        case datetime():
            return value.isoformat()
        case str() if value.startswith(("{", "[")):
            return json.loads(value)
        case _:
            return value
