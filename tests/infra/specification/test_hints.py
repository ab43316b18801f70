"""A mistaken document is told what it was probably meant to say."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.document import parse
from firnline_ingest.config.hints import EARLIER, _words_of, name_hint, sections_at, short_form
from tests.infra.runtimes.environments import RUNTIMES
from tests.infra.specifications import document, one_pipeline, problems, sections_of, told

SERVERLESS = RUNTIMES["emr_serverless"]
PODS = RUNTIMES["kubeflow"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            one_pipeline(initial_position="at_timestamp"),
            "pipelines[0].initial_position: timestamp is given with AT_TIMESTAMP, and only then",
        ),
        (
            one_pipeline(initial_position="yesterday"),
            "pipelines[0].initial_position: must be a mapping of names to values, such as {at: …}",
        ),
        (
            one_pipeline(format="csv"),
            "pipelines[0].format: give columns: [FIRST, SECOND], a name for each field in its order, or header: true",
        ),
        (
            {"aws": {"runtime": "emr_serverless"}},
            "aws.runtime: must be a mapping of names to values, such as {trust: emr-serverless}",
        ),
        (
            {"aws": {"runtime": "emr_serverles"}},
            "aws.runtime: must be a mapping of names to values, such as {trust: emr-serverless}",
        ),
        (
            one_pipeline(initial_position="lates"),
            "pipelines[0].initial_position: must be a mapping of names to values, such as {at: LATEST}",
        ),
        (
            one_pipeline(format="json_line"),
            "pipelines[0].format: must be a mapping of names to values, such as {type: json_lines}",
        ),
        ({"durability": "EPHEMRAL"}, "durability: …(got 'EPHEMRAL'); did you mean 'EPHEMERAL'?"),
        ({"durability": "ephemeral"}, "durability: …(got 'ephemeral'); did you mean 'EPHEMERAL'?"),
        (
            {"aws": {"runtime": {**SERVERLESS, "trust": "emr_serverless"}}},
            "aws.runtime.trust: …(got 'emr_serverless'); did you mean 'emr-serverless'?",
        ),
        (
            {"aws": {"runtime": {**PODS, "kubernetes": {**PODS["kubernetes"], "namespace": "x"}}}},
            "aws.runtime.kubernetes.namespace: unknown name; did you mean 'aws.runtime.namespace'?",
        ),
        (
            {"aws": {"runtime": {**SERVERLESS, "security_group": {}}}},
            "aws.runtime.security_group: unknown name; did you mean 'aws.runtime.emr_serverless.security_group'?",
        ),
        (
            one_pipeline(dead_letters={"folder": "/x"}),
            "pipelines[0].dead_letters: unknown name; dead_letters is a section of its own, at the top of the document.",
        ),
        ({"durability": "NEVER"}, "durability: …(got 'NEVER')"),
    ],
)
def test_what_was_meant_is_said(changes: dict[str, Any], said: str) -> None:
    assert problems(**changes)[:1] == told(said)


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        ({"initial_position": "latest"}, {"initial_position": {"at": "LATEST"}}),
        ({"initial_position": "TRIM_HORIZON"}, {"initial_position": {"at": "TRIM_HORIZON"}}),
        ({"format": "json_lines"}, {"format": {"type": "json_lines"}}),
        ({"transforms": ["flatten", {"type": "flatten"}]}, {"transforms": [{"type": "flatten"}, {"type": "flatten"}]}),
    ],
)
def test_one_word_stands_for_a_section_that_has_one_field_for_it(short: dict[str, Any], whole: dict[str, Any]) -> None:
    written = document(**one_pipeline(**short))
    before = copy.deepcopy(written)
    assert parse(EnvironmentSpec, written, "x") == parse(EnvironmentSpec, document(**one_pipeline(**whole)), "x")
    assert written == before, "the caller's document is left as it is"


def test_every_enum_of_a_section_has_a_short_form_or_the_section_has_two_fields_for_the_word() -> None:
    """A law over the specification: whichever word stands for a section, it is what the section says in whole."""
    for section in _sections(EnvironmentSpec):
        for word in {word for name in section.model_fields for word in _words_of(section, name)}:
            form = short_form([section], word.lower())
            if form is not None:
                ((name, said),) = form.items()
                assert said in _words_of(section, name)


def test_every_section_that_is_given_as_a_word_is_shown_by_an_example() -> None:
    """Whoever writes a word where a section belongs sees how one looks, wherever it stands."""
    without = {}
    for path in _paths(EnvironmentSpec):
        changes: Any = "zzz"
        for name in reversed(path):
            changes = {name: changes}
        if path[:2] == ("pipelines", "format") and len(path) > 2:
            changes["pipelines"]["format"]["type"] = "avro"
        if path[0] == "pipelines":
            changes = one_pipeline(**changes["pipelines"])
        elif path[0] == "streams":
            changes = {"streams": [{"name": "orders", **changes["streams"]}]}
        place = ".".join(path).replace("pipelines.", "pipelines[0].").replace("streams.", "streams[0].")
        found = [each for each in problems(**changes) if each.startswith(f"{place}: ")]
        if not any(words in each for each in found for words in (", such as {", ": give ", "or a mapping with")):
            without[place] = found
    assert without == {}


def _paths(model: type[BaseModel], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yields where a section may stand that is not in a list; of pipelines and streams, those of one."""
    for name, field in model.model_fields.items():
        path = (*before, field.alias or name)
        is_list = "list[" in str(field.annotation) or "tuple[" in str(field.annotation)
        for section in sections_of(field.annotation):
            if not is_list:
                yield path
            if not is_list or path in (("pipelines",), ("streams",)):
                yield from _paths(section, path)


def _sections(model: type[BaseModel]) -> set[type[BaseModel]]:
    found, left = set[type[BaseModel]](), [model]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += [inner for name in each.model_fields for inner in sections_at(each, (name,))]
    return found


@pytest.mark.parametrize(("earlier", "now"), sorted(EARLIER.items()))
def test_a_name_that_a_field_had_before_is_answered_with_the_one_that_it_has(earlier: str, now: str) -> None:
    assert now in Pipeline.model_fields
    assert name_hint(EnvironmentSpec, ("pipelines", 0, earlier)) == f"did you mean {now!r}?"
