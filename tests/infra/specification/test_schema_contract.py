"""Tests of one word for what becomes of new keys: the options that it stands for, what contradicts it, its alarms."""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.environment import Environment
from firnline_infra.kinds.observability import metric_alarms
from tests.infra.specifications import one_pipeline, pipeline, problems, smallest

OWNS = {"table_privilege": "ownership"}
TOPIC = "arn:aws:sns:eu-central-1:123456789012:on-call"
WATCHED: dict[str, Any] = {
    "aws": {"account": "123456789012"},
    "alarms": {"topics": [TOPIC]},
    "metrics": {"cloudwatch": True},
}


@pytest.mark.parametrize(
    ("said", "evolves", "adds"),
    [
        ({"schema_contract": "evolve"}, True, False),
        ({"schema_contract": "evolve", "schema_evolution": False, **OWNS}, False, True),
        ({"schema_contract": "freeze"}, False, False),
        ({"schema_contract": "freeze", "schema_evolution": False}, False, False),
        ({"schema_contract": "ask", **OWNS}, False, "approved"),
        ({"schema_contract": "ask", "adds_columns": "approved", **OWNS}, False, "approved"),
    ],
)
def test_a_contract_stands_for_two_options(said: dict[str, Any], evolves: bool, adds: object) -> None:
    spec = smallest(**one_pipeline(**said))
    (made,) = spec.pipelines
    assert (made.schema_evolution, made.adds_columns) == (evolves, adds)
    document = engine_config(Environment.of(spec), blueprint_of(spec).outputs)["pipelines"][0]
    assert document.get("adds_columns", False) == adds
    assert "schema_contract" not in document, "the engine reads what it means"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"schema_contract": "frozen"}, "freeze"),
        ({"schema_contract": "freeze", "schema_evolution": True}, "means schema_evolution: false, not true"),
        ({"schema_contract": "freeze", "adds_columns": True}, "means adds_columns: false, not true"),
        ({"schema_contract": "ask", "adds_columns": True, **OWNS}, 'means adds_columns: "approved", not true'),
        (
            {"schema_contract": "evolve", "adds_columns": "approved", "schema_evolution": False, **OWNS},
            "adds_columns: true",
        ),
        ({"schema_contract": "ask"}, "only the owner of a table may alter it"),
        ({"schema_contract": "freeze", "content_column": "C"}, "keys become no columns"),
        (
            {
                "schema_contract": "freeze",
                "routes": {"key": "kind", "tables": [{"table": "A", "values": ["a"], "schema_evolution": True}]},
            },
            "differs from what schema_contract: freeze means",
        ),
    ],
)
def test_what_contradicts_a_contract_is_refused(said: dict[str, Any], words: str) -> None:
    found = problems(**one_pipeline(**said))
    assert [words in each for each in found] == [True], found


def alarms_of(*pipelines: dict[str, Any]) -> set[str]:
    streams = [{"name": each["stream"]} for each in pipelines]
    spec = smallest(**WATCHED, streams=streams, pipelines=list(pipelines))
    rows = [row.arguments for made in metric_alarms(Environment.of(spec)) for row in made.resources()]
    return {str(row["alarm_name"]) for row in rows}


def test_each_pipeline_has_the_alarms_of_its_own_contract_and_none_without_one() -> None:
    contracts = {"a": "evolve", "b": "freeze", "c": "ask"}
    said = alarms_of(*(pipeline(name, schema_contract=each, **OWNS) for name, each in contracts.items()), pipeline("d"))
    plain = alarms_of(*(pipeline(name) for name in "abcd"))
    more = {name.removeprefix("firnline-dev-") for name in said - plain}
    assert more == {"a-new-columns", "a-not-null-dropped", "b-unknown-keys", "c-undecided-keys"}
    assert plain < said
