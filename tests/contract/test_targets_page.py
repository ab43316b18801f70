"""The page on targets: each example, from its specification to its rows, by the program, the engine and the real SDK."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.audit import ReaderUser
from firnline_infra.audit.latency import latencies
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.engine_config import engine_config, engine_inputs
from firnline_infra.blueprint.snowflake import IcebergTable
from firnline_infra.environment import Environment
from firnline_infra.observe.readback import read_back
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import Names
from firnline_local.provisioning import bootstrap
from firnline_local.running import RunningEnvironment

from .watched import Watched

EngineWithoutSpark = Any  # of conftest.py

pytestmark = pytest.mark.contract
DOCS = Path(__file__).parents[2] / "docs"
PAGE, LATENCY = ((DOCS / name).read_text(encoding="utf-8") for name in ("targets.md", "latency.md"))
WITHOUT_AN_EXAMPLE = "Add a column"
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
    parts = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    for title, text in (*parts, ("latency", LATENCY)):
        if title == WITHOUT_AN_EXAMPLE:
            continue
        (declared,), (query,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("yaml", "sql"))
        told = re.findall(r"^\| `(\{.*?\})` \| (.*) \|$", text, re.MULTILINE)
        yield Example(title, yaml.safe_load(declared), query, *zip(*told, strict=True))


EXAMPLES = list(examples())


def spec_of_all(**column: dict[str, Any]) -> EnvironmentSpec:
    """`column` is one more, by the stream of its table."""
    snowflake: dict[str, Any] = {"account": "FIRNLINE-LOCAL"}
    for each in EXAMPLES:
        snowflake |= each.declared.get("snowflake", {})
    streams = [{"shards": 1, **stream} for each in EXAMPLES for stream in each.declared["streams"]]
    pipelines = [pipeline for each in EXAMPLES for pipeline in each.declared["pipelines"]]
    for pipeline in (each for each in pipelines if each["stream"] in column):
        pipelines[pipelines.index(pipeline)] = {
            **pipeline,
            "columns": [*pipeline["columns"], column[pipeline["stream"]]],
        }
    whole = {**REST, "snowflake": snowflake, "streams": streams, "pipelines": pipelines}
    return parse_spec(yaml.safe_dump(whole), "targets.yaml")


@pytest.fixture(scope="module")
def watched(local_environment: RunningEnvironment) -> Iterator[Watched]:
    """All that the page declares, made."""
    spec, watched = spec_of_all(), Watched(local_environment)
    bootstrap(local_environment, spec)
    watched.up(spec)
    yield watched
    watched.application.destroy()


@pytest.fixture(scope="module")
def engine(
    watched: Watched,
    local_environment: RunningEnvironment,
    engine_of: Callable[..., EngineWithoutSpark],
    tmp_path_factory: Any,
) -> Callable[[str], EngineWithoutSpark]:
    """The engine of a stream's pipeline, with the environment's role."""
    spec = spec_of_all()
    login, role = local_environment.logins["ingest"], Names.of(spec).ingest.role
    local_environment.query(f"GRANT ROLE {role.sql} TO USER {login.user}", login="admin")
    pipelines = {
        each["stream"]: each
        for each in engine_config(Environment.of(spec), engine_inputs(Environment.of(spec)))["pipelines"]
    }
    letters = {"folder": str(tmp_path_factory.mktemp("letters"))}
    return lambda stream: engine_of(
        pipeline=pipelines[stream],
        application=f"targets-{stream}",
        snowflake={"role": str(role)},
        dead_letters=letters,
    )


@pytest.fixture(scope="module")
def ingested(
    engine: Callable[[str], EngineWithoutSpark], local_environment: RunningEnvironment
) -> Callable[[Example], None]:
    """Puts the records of an example into its stream and its table, the first time that a test asks for them."""
    streams: set[str] = set()

    def ingest(example: Example) -> None:
        if example.stream in streams:
            return
        streams.add(example.stream)
        local_environment.put_events(example.stream, (each.encode() for each in example.records))
        made = engine(example.stream)
        assert made.epoch(made.preflight()) == [None]

    return ingest


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stream)
def test_an_example_comes_out_as_the_page_says(
    example: Example, ingested: Callable[[Example], None], local_environment: RunningEnvironment
) -> None:
    ingested(example)
    found = [[plain(value) for value in row] for row in local_environment.query(example.query, login="admin")[1]]
    assert found == [json.loads(f"[{row.strip('`')}]") for row in example.rows if row.startswith("`")]


def test_a_column_that_is_declared_later_costs_an_iceberg_table_nothing(
    ingested: Callable[[Example], None], watched: Watched, local_environment: RunningEnvironment
) -> None:
    """A statement makes a table with structured columns, and a changed statement would make it anew."""
    ingested(next(each for each in EXAMPLES if each.stream == "logins"))
    spec = spec_of_all(logins={"name": "PLACE", "type": "OBJECT(city VARCHAR)"})
    watched.up(spec)
    with closing(local_environment.connect("admin")) as session:
        found = [each for each in read_back(blueprint_of(spec), session) if "LOGINS" in each.object]
        ((property_, repair),) = [(each.path, each.repair) for each in found]
        assert property_ == "column PLACE"
        assert repair == 'ALTER ICEBERG TABLE "SHOP"."RAW"."LOGINS" ADD COLUMN "PLACE" OBJECT(city VARCHAR)'
        local_environment.query(repair, login="admin")
        assert not [each for each in read_back(blueprint_of(spec), session) if "LOGINS" in each.object]
    assert len(local_environment.query("SELECT PLACE FROM SHOP.RAW.LOGINS", login="admin")[1]) == 2


def test_a_version_that_a_table_can_not_get_any_more_is_told(
    watched: Watched, local_environment: RunningEnvironment
) -> None:
    blueprint = blueprint_of(spec_of_all())
    landing = blueprint.landing
    later = [
        replace(each, format_version=each.format_version + 1) if isinstance(each, IcebergTable) else each
        for each in landing.tables
    ]
    asked = replace(blueprint, landing=replace(landing, tables=tuple(later)))
    with closing(local_environment.connect("admin")) as session:
        found = [str(each) for each in read_back(asked, session) if "VERSION" in each.path]
    assert found == [
        f"table SHOP.RAW.{name}: ICEBERG_TABLE_FORMAT_VERSION is {now}, expected {now + 1} (another one is another table)"
        for name, now in (("LOGINS", 2), ("TOURS", 3), ("VISITS", 3))
    ]


def test_the_latency_of_what_the_engine_wrote_is_told_part_by_part(
    ingested: Callable[[Example], None],
    engine: Callable[[str], EngineWithoutSpark],
    local_environment: RunningEnvironment,
) -> None:
    """The page's records say that they were made in March 2026, by a clock that is behind or ahead of this one."""
    ingested(next(each for each in EXAMPLES if each.stream == "readings"))
    login = local_environment.logins["admin"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file, warehouse="COMPUTE_WH")
    (report,) = latencies(engine("readings").config, reader, minutes=60, produced_at="sent_at")
    assert [spread and spread.rows for _, spread in report.parts()] == [2] * 5
    arrived, pushed, whole = report.arrived_to_pushed, report.pushed_to_visible, report.arrived_to_visible
    assert (pushed.negative, whole.negative, whole.max_ms >= pushed.max_ms) == (0, 0, arrived.p50_ms >= 0)
    words = re.findall(r"^SHOP\.RAW\.READINGS  (.*?)  +2 ", LATENCY, re.MULTILINE)
    assert [name for name, _ in report.parts()] == words


def test_every_kind_of_target_is_on_the_page() -> None:
    titles = set(re.findall(r"^## (.*)$", PAGE, re.MULTILINE)) - {WITHOUT_AN_EXAMPLE}
    assert len(EXAMPLES) - 1 == len(titles) == 9
    shown = re.search(r"^    (pipelines\[0\]\.columns\[1\].*)$", PAGE, re.MULTILINE)
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
    """Returns a value as JSON has it."""
    match value:
        case Decimal():
            return int(value) if value == int(value) else float(value)
        case datetime():
            return value.isoformat()
        case str() if value.startswith(("{", "[")):
            return json.loads(value)
        case _:
            return value
