"""Options of other connectors are understood: each has a place here, or a reason why it has none."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.other_names import (
    EVERY,
    FLINK,
    FLINK_5,
    FLINK_UNLISTED,
    KAFKA,
    OPENFLOW,
    RETRIES,
    here_called,
)
from tests.ingest.config.test_model import document, problems

OPTIONS = Path(__file__).with_name("flink_options.txt").read_text().split()
PAGE = Path(__file__).parents[3] / "docs" / "options.md"
PATH = re.compile(r"\b(?:aws|snowflake|pipelines\[\]|patterns\[\]|polling|retries|epoch|ledger)(?:\.[a-z_]+(?:\[\])?)+")


def paths(model: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        path = f"{before}{field.alias or name}"
        yield path
        yield from nested(field.annotation, path)


def nested(annotation: object, path: str) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from paths(annotation, f"{path}.")
    is_list = getattr(annotation, "__origin__", None) is list
    for argument in get_args(annotation):
        yield from nested(argument, f"{path}[]" if is_list else path)


def test_every_option_of_flinks_page_is_in_the_table_and_no_other() -> None:
    assert sorted(OPTIONS) == sorted(FLINK | RETRIES)
    assert len(OPTIONS) == 77


def test_every_property_that_the_kafka_connectors_page_names_is_in_the_table() -> None:
    metadata = {f"snowflake.metadata.{part}" for part in ("all", "topic", "offset.and.partition", "createtime")}
    others = {"snowflake.topic2table.map", "behavior.on.null.values", "errors.tolerance", "key.converter", "transforms"}
    assert metadata | others <= KAFKA.keys()


def test_what_an_option_is_called_here_is_a_name_of_the_configuration() -> None:
    known = {*paths(EngineConfig), "aws.endpoints.kinesis"}
    said = {found for _, here in EVERY.values() for found in PATH.findall(here)}
    assert len(said) > 50
    assert said <= known


def test_the_page_has_every_option_as_the_messages_have_it() -> None:
    rows = re.findall(r"^\| `(.+?)` \| .+? \| (.+?) \| .*\|$", PAGE.read_text(), re.MULTILINE)
    assert {
        name: here for name, here in rows if name in EVERY
    } == FLINK | FLINK_UNLISTED | FLINK_5 | RETRIES | OPENFLOW | KAFKA


@pytest.mark.parametrize("name", [name for name in EVERY if "." in name])
def test_whoever_brings_an_option_is_told_its_name_here(name: str) -> None:
    (problem,) = problems(document(**{name: "1"}))
    assert problem.endswith(f"is here {EVERY[name][1]}.")


def test_it_is_understood_wherever_it_stands_and_however_it_is_spelt() -> None:
    (problem,) = problems(document(polling={"scan.shard.getRecords.intervalMillis": 500}))
    assert problem.endswith("calls 'scan.shard.getrecords.intervalmillis' is here polling.interval_ms.")
    (problem,) = problems(document(aws={"region": "eu-west-1", "credentials": {"role.arn": "x"}}))
    assert problem.endswith(
        "calls 'aws.credentials.role.arn' is here aws.credentials.roles[].arn, or "
        "aws.credentials.web_identity.role_arn."
    )
    (problem,) = problems(document(**{"sink.producer.collection-max-count": 100}))
    assert "are options of firnline put" in problem
    (problem,) = problems(document(**{"AWS Kinesis Consumer Type": "ENHANCED_FAN_OUT"}))
    assert "pipelines[].reader" in problem


def test_a_name_that_is_only_mistyped_is_still_answered_with_the_nearest_one() -> None:
    assert here_called("max_record", "polling.max_record") is None
    assert here_called("format", "format") is None
    (problem,) = problems(document(polling={"max_record": 1}))
    assert problem == "polling.max_record: unknown name; did you mean 'max_records'?"


FLINKS_DEFAULTS = {
    "scan.stream.describe": (50, 2000, 5000),
    "scan.list.shards": (10, 1000, 5000),
    "scan.stream.describestreamconsumer": (50, 2000, 5000),
    "scan.stream.registerstreamconsumer": (10, 500, 2000),
    "scan.stream.deregisterstreamconsumer": (10, 500, 2000),
    "scan.shard.subscribetoshard": (10, 1000, 2000),
    "scan.shard.getrecords": (3, 300, 1000),
    "scan.shard.getiterator": (3, 300, 1000),
}
"""Attempts, and the least and longest pause in milliseconds; each pause is 1.5 times the one before."""


def test_flinks_own_defaults_are_taken() -> None:
    retries: dict[str, dict[str, object]] = {}
    for theirs, values in FLINKS_DEFAULTS.items():
        for part, value in zip(
            ("maxretries", "backoff.base", "backoff.max", "backoff.expconst"), (*values, 1.5), strict=True
        ):
            _, operation, option = RETRIES[f"{theirs}.{part}"].split(".")
            retries.setdefault(operation, {})[option] = value
    found = parse(EngineConfig, document(retries=retries), "engine.json").retries
    assert found.describe_stream.attempts == 50
