import copy
import json
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.load import load_config
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "application": "orders-prod",
    "aws": {"region": "eu-west-1"},
    "ledger": {"table": "firnline-orders-prod"},
    "snowflake": {"account": "ORG-ACCT", "user": "ENGINE", "role": "INGEST", "private_key": {"env": "KEY"}},
    "pipelines": [{"stream": "orders", "database": "ANALYTICS", "schema": "RAW"}],
    "dead_letters": {"folder": "/var/lib/firnline/dead-letters"},
    "spark": {"checkpoint": "s3://bucket/checkpoint"},
}


def document(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(DOCUMENT), **changes}


def problems(found: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        parse(EngineConfig, found, "engine.json")
    return raised.value.problems


def test_the_smallest_document_is_enough() -> None:
    config = parse(EngineConfig, document(), "engine.json")
    assert config.snowflake.base_url == "https://org-acct.snowflakecomputing.com"
    assert config.epoch.seconds == 30


@pytest.mark.parametrize(
    "account", ["https://org-acct.snowflakecomputing.com", "org-acct.snowflakecomputing.com", "a b", ""]
)
def test_an_account_is_its_name_and_not_its_host(account: str) -> None:
    (problem,) = problems(document(snowflake={**DOCUMENT["snowflake"], "account": account}))
    assert "snowflake.account: has to be ORGANISATION-ACCOUNT, without https:// and .snowflakecomputing.com" in problem


def test_a_url_begins_with_its_scheme() -> None:
    (problem,) = problems(document(snowflake={**DOCUMENT["snowflake"], "url": "org-acct.snowflakecomputing.cn"}))
    assert "snowflake.url: has to be https:// and a host" in problem


def test_all_problems_are_told_at_once_each_with_its_path() -> None:
    found = problems(
        document(
            application="no spaces, please",
            aws={},
            pipelines=[{"stream": "orders", "databse": "A", "database": "A", "schema": "S", "tolerance": "some"}],
            epoch={"seconds": 1},
        )
    )
    assert len(found) == 5
    assert any(line.startswith("application:") for line in found)
    assert "aws.region: is required." in found
    assert "pipelines[0].databse: unknown name; did you mean 'database'?" in found
    assert any(line.startswith("pipelines[0].tolerance:") and "'none' or 'all'" in line for line in found)
    assert any(line.startswith("epoch.seconds:") and "10" in line for line in found)


def test_a_name_that_is_like_no_other_is_answered_with_the_valid_ones() -> None:
    (problem,) = problems(document(ledger={"table": "t", "zzz": 1}))
    assert problem == "ledger.zzz: unknown name; expected one of: create, table."


@pytest.mark.parametrize(
    ("section", "problem"), [(1, "must be a mapping of names to values, such as {{{}}}"), (None, "is empty")]
)
def test_a_section_that_is_no_mapping_is_said_in_words_of_the_document(section: object, problem: str) -> None:
    assert problems(document(aws=section)) == [f"aws: {problem.format('region: …')}"]
    of_pipelines = problem.format("database: …, schema: …, stream: …")
    assert problems(document(pipelines=[*DOCUMENT["pipelines"], section])) == [f"pipelines[1]: {of_pipelines}"]


@pytest.mark.parametrize(
    ("format_", "place", "form"),
    [
        (
            "csv",
            "format",
            "give columns: [FIRST, SECOND], a name for each field in its order, or header: true",
        ),
        ("parquet", "format", "must be a mapping of names to values, such as {type: json}"),
        (
            {"type": "csv"},
            "format",
            "give columns: [FIRST, SECOND], a name for each field in its order, or header: true",
        ),
        ("protobuf", "format.framing", "is required."),
        ({"type": "csv", "columns": {"id": "number"}}, "format.columns", "must be a list, such as [a, b]"),
    ],
)
def test_what_has_another_form_is_shown_the_one_that_is_meant(format_: object, place: str, form: str) -> None:
    pipeline = {**DOCUMENT["pipelines"][0], "format": format_}
    assert problems(document(pipelines=[pipeline])) == [f"pipelines[0].{place}: {form}"]


@pytest.mark.parametrize("place", ["file", "env", "secret_arn"])
def test_a_key_in_the_place_of_its_place_is_refused_and_not_shown(place: str) -> None:
    """Snowflake's connector for Spark takes the key itself (pem_private_key); here a place is told in errors and plans."""
    pem = "-----BEGIN PRIVATE KEY-----\nTOP-SECRET\n-----END PRIVATE KEY-----\n"
    snowflake = {**DOCUMENT["snowflake"], "private_key": {place: pem}}
    (problem,) = problems({**DOCUMENT, "snowflake": snowflake})
    assert problem == (
        f"snowflake.private_key: {place} says where the key is found, and has the key itself; take it out, and rotate it"
    )


def test_a_private_key_is_found_in_exactly_one_place() -> None:
    snowflake = {**DOCUMENT["snowflake"], "private_key": {"env": "KEY", "file": "/key.p8"}}
    (problem,) = problems(document(snowflake=snowflake))
    assert problem == "snowflake.private_key: give exactly one of file, env, secret_arn"


def test_what_stands_in_a_key_is_never_shown() -> None:
    snowflake = {**DOCUMENT["snowflake"], "private_key": {"env": 5, "pem": "-----BEGIN"}}
    assert not any("BEGIN" in problem or "5" in problem for problem in problems(document(snowflake=snowflake)))


def test_a_stream_belongs_to_one_pipeline() -> None:
    pipeline = DOCUMENT["pipelines"][0]
    (problem,) = problems(document(pipelines=[pipeline, pipeline]))
    assert "named twice: orders" in problem


@pytest.mark.parametrize(
    "position",
    [
        {"at": "LATEST", "timestamp": "2026-01-01T00:00:00Z"},
        {"at": "AT_TIMESTAMP"},
        {"at": "AT_TIMESTAMP", "timestamp": "2026-01-01"},
    ],
)
def test_a_timestamp_belongs_to_at_timestamp_and_needs_an_offset(position: dict[str, str]) -> None:
    pipeline = {**DOCUMENT["pipelines"][0], "initial_position": position}
    (problem,) = problems(document(pipelines=[pipeline]))
    assert "timestamp" in problem


def test_an_unchanged_configuration_has_an_unchanged_hash_and_a_changed_one_another() -> None:
    first, again = (parse(EngineConfig, document(), "engine.json") for _ in range(2))
    other = parse(EngineConfig, document(application="other"), "engine.json")
    assert first.content_hash == again.content_hash != other.content_hash


def test_only_what_decides_the_rows_changes_the_conversions_hash() -> None:
    pipeline = parse(EngineConfig, document(), "engine.json").pipelines[0]
    assert pipeline.model_copy(update={"table": "OTHER"}).conversion_hash == pipeline.conversion_hash
    assert pipeline.model_copy(update={"max_row_bytes": 2048}).conversion_hash != pipeline.conversion_hash


def test_a_document_survives_the_way_to_a_task() -> None:
    config = parse(EngineConfig, document(), "engine.json")
    assert EngineConfig.model_validate_json(config.model_dump_json(by_alias=True)) == config


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no "),
        ("{", "is not JSON"),
        ("[]", "the document"),
        ("[" * 100_000, "nested too deeply"),
        ('{"aws": {}, "pipelines": [], "pipelines": []}', "'pipelines' is given twice"),
    ],
    ids=["absent", "cut short", "no object", "too deep", "a name twice"],
)
def test_a_file_that_is_no_document_is_said_so(tmp_path: Path, content: str | None, said: str) -> None:
    file = tmp_path / "engine.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=said):
        load_config(file)


def test_a_file_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "engine.json"
    file.write_text(json.dumps(DOCUMENT))
    assert load_config(file).application == "orders-prod"


def test_a_specification_in_place_of_a_configuration_is_told_how_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "dev.yaml"
    file.write_text("version: 1\n")
    with pytest.raises(ConfigError, match=r"is not JSON: .*specification is given as ENV, without --config"):
        load_config(file)


def test_an_engine_replays_by_file_what_it_keeps_in_a_folder_and_nothing_that_a_pipe_makes_other_columns_of() -> None:
    (plain,) = DOCUMENT["pipelines"]
    by_file = {**plain, "oversize_rows": "file"}
    pattern = {"streams": "clicks-.*", "database": "D", "schema": "S", "oversize_rows": "file"}
    for more, goes in (({"pipelines": [by_file]}, True), ({"patterns": [pattern]}, True), ({}, False)):
        assert parse(EngineConfig, document(**more), "engine.json").goes_by_file is goes
    for wrong, words in (
        ({"pipelines": [{**by_file, "on_error": "skip"}]}, "made of dead letters"),
        ({"pipelines": [{**by_file, "pipe": "OWN"}]}, "columns by their names"),
        ({"pipelines": [{**by_file, "pipe_selects": True}]}, "columns by their names"),
        ({"pipelines": [by_file], "dead_letters": {"stream": "letters"}}, "in a folder or a bucket"),
    ):
        with pytest.raises(ConfigError, match=words):
            parse(EngineConfig, document(**wrong), "engine.json")
