import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import EngineInputs, blueprint_of, engine_config
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from tests.infra.specifications import one_pipeline, smallest

GOLDEN = Path(__file__).parent / "golden"
SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:dev/snowflake/ingest-AbCdEf"
OUTPUTS = EngineInputs(
    private_keys={"ingest": {"file": "/env/keys/ingest.pem"}},
    dead_letters={"folder": "/env/dead-letters"},
    spark_checkpoint="/env/checkpoint",
    aws_endpoints={"kinesis": "http://127.0.0.1:4567", "dynamodb": "http://127.0.0.1:5000"},
    snowflake_url="https://127.0.0.1:8443",
    snowflake_ca_file="/env/ca.pem",
    spark_master="local[2]",
)


def test_the_document_is_the_reviewed_one(local_spec: EnvironmentSpec) -> None:
    """FIRNLINE_WRITE_GOLDEN=1 writes it anew."""
    golden, text = (
        GOLDEN / "local-engine.json",
        json.dumps(engine_config(Environment.of(local_spec), OUTPUTS), indent=2) + "\n",
    )
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
        pytest.fail(f"{golden.name} was written: review it, and run the test again")
    assert text == golden.read_text(encoding="utf-8")


def test_the_engine_reads_it(local_spec: EnvironmentSpec, wide_spec: EnvironmentSpec) -> None:
    local = parse(EngineConfig, engine_config(Environment.of(local_spec), OUTPUTS), "engine.json")
    assert local.snowflake.base_url == "https://127.0.0.1:8443"
    assert local.aws.endpoints["kinesis"] == "http://127.0.0.1:4567"

    wide = parse(EngineConfig, engine_config(Environment.of(wide_spec), OUTPUTS), "engine.json")
    assert (wide.application, wide.ledger.table, wide.snowflake.role) == ("lake", "lake-ledger", '"Loader role"')
    assert [pipeline.table for pipeline in wide.pipelines] == ['"Clicks"', wide.pipelines[1].table]


def test_what_is_public_is_left_out(local_spec: EnvironmentSpec) -> None:
    outputs = EngineInputs(
        private_keys={"ingest": {"env": "KEY"}}, dead_letters={"folder": "d"}, spark_checkpoint="s3://bucket/checkpoint"
    )
    document = engine_config(Environment.of(local_spec), outputs)
    assert {"url", "ca_file"}.isdisjoint(document["snowflake"])
    config = parse(EngineConfig, document, "engine.json")
    assert config.snowflake.base_url == "https://firnline-local.snowflakecomputing.com"


def spec_of(**changes: Any) -> EnvironmentSpec:
    """A small environment."""
    return smallest(
        **{
            "durability": "EPHEMERAL",
            "snowflake": {"ingest": {"secret_arn": SECRET}},
            "streams": [{"name": "orders"}, {"name": "letters"}],
            **changes,
        }
    )


def written(**changes: Any) -> dict[str, Any]:
    """Returns what its engine gets."""
    spec = spec_of(**changes)
    document = engine_config(Environment.of(spec), blueprint_of(spec).outputs)
    parse(EngineConfig, document, "engine.json")
    return document


def test_letters_go_to_the_bucket_where_there_is_one() -> None:
    document = written()
    assert document["dead_letters"] == {"s3": "s3://firnline-dev-123456789012-eu-central-1/dead-letters/"}
    assert "master" not in document["spark"]


def test_letters_of_an_engine_without_a_bucket_stay_on_its_machine_and_its_workers_too() -> None:
    document = written(aws={"bucket": {"origin": "skip"}, "runtime": {"trust": "nobody"}})
    assert document["dead_letters"] == {"folder": "/var/lib/firnline/dead-letters"}
    assert document["spark"]["master"] == "local[*]"


def test_a_folder_or_a_stream_of_ones_own_wins_over_the_bucket() -> None:
    folder = written(aws={"runtime": {"trust": "nobody"}}, dead_letters={"folder": "/mine"})
    assert (folder["dead_letters"], folder["spark"]["master"]) == ({"folder": "/mine"}, "local[*]")
    assert written(dead_letters={"stream": "letters"})["dead_letters"] == {"stream": "letters"}


def test_an_adopted_bucket_is_told_the_environments_key() -> None:
    key = "arn:aws:kms:eu-central-1:123456789012:key/1a2b3c4d-0000-1111-2222-333344445555"
    adopted = {"bucket": {"origin": "adopt", "name": "lake"}}
    document = written(aws={**adopted, "key": {"origin": "adopt", "arn": key}})
    assert document["dead_letters"] == {"s3": "s3://lake/firnline-dev/dead-letters/", "kms_key_arn": key}
    without = written(aws={**adopted, "key": {"origin": "skip"}})
    assert without["dead_letters"] == {"s3": "s3://lake/firnline-dev/dead-letters/"}


@pytest.mark.parametrize(
    "said",
    [
        {"fail_on_data_loss": False},
        {"on_error": "stop", "max_unusable_per_minute": 5},
        {"max_row_bytes": 200_000},
    ],
    ids=["whether a loss stops a shard", "what is done with unusable records", "how large a row may be"],
)
def test_an_option_of_reading_is_passed_on_where_it_is_said(said: dict[str, Any]) -> None:
    """An unchanged specification never restarts a job."""
    (silent,) = written()["pipelines"]
    assert said.keys().isdisjoint(silent)
    (passed,) = written(**one_pipeline(**said))["pipelines"]
    assert said.items() <= passed.items()
    read = PipelineConfig.model_validate(passed)
    assert {name: getattr(read, name) for name in said} == said


@pytest.mark.parametrize(
    "section",
    [
        {"type": "json", "compression": "zstd"},
        {"type": "text"},
        {"type": "csv", "columns": ["A"], "quote": None, "compression": "gzip"},
    ],
)
def test_a_format_is_passed_on_as_it_is_said(section: dict[str, Any]) -> None:
    (silent,) = written()["pipelines"]
    assert {"format", "empty_records"}.isdisjoint(silent)
    document = written(**one_pipeline(format=section, empty_records="ignore"))
    assert (document["pipelines"][0]["format"], document["pipelines"][0]["empty_records"]) == (section, "ignore")
    assert parse(EngineConfig, document, "engine.json").pipelines[0].format.type == section["type"]


def test_a_pipeline_reads_by_the_consumer_that_is_made_for_it() -> None:
    (silent,) = written()["pipelines"]
    assert "reader" not in silent
    streams = [{"name": "orders", "consumers": ["us", "fraud"]}, {"name": "letters"}]
    spec = spec_of(streams=streams, **one_pipeline(reader={"fan_out": {"consumer": "us"}}))
    inputs = blueprint_of(spec).outputs
    assert inputs.consumers == {"orders": Reference("consumer/orders/us")}
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders/consumer/us:1700000000"
    document = engine_config(Environment.of(spec), replace(inputs, consumers={"orders": arn}))
    assert document["pipelines"][0]["reader"] == {"fan_out": {"consumer_arn": arn}}
    assert parse(EngineConfig, document, "engine.json").subscribes


def test_a_pipeline_reads_by_a_consumer_that_the_engine_registers_or_that_is_there() -> None:
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders/consumer/us:1700000000"
    for said in ({"registration": "lazy"}, {"registration": "eager", "consumer": "us"}, {"consumer_arn": arn}):
        spec = spec_of(**one_pipeline(reader={"fan_out": said}))
        document = engine_config(Environment.of(spec), blueprint_of(spec).outputs)
        assert document["pipelines"][0]["reader"] == {"fan_out": said}
        assert parse(EngineConfig, document, "engine.json").subscribes


def test_the_engine_may_register_and_deregister_only_its_own_consumer() -> None:
    spec = spec_of(**one_pipeline(reader={"fan_out": {"registration": "lazy"}}))
    names = Names.of(spec)
    statements = {each.sid: each for each in engine_policy(Environment.of(spec), None)}
    stream = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders"
    assert statements["RegisterConsumer"].resources == (stream,)
    own = (f"{stream}/consumer/{names.application}:*",)
    assert statements["DeregisterConsumer"].resources == statements["Subscribe"].resources == own


def test_other_streams_go_into_the_pipelines_table_with_its_options(local_spec: EnvironmentSpec) -> None:
    first = local_spec.pipelines[0]
    changed = first.model_copy(update={"stream_pattern": "events-.*", "table": '"My {events}"'})
    document = engine_config(Environment.of(local_spec.model_copy(update={"pipelines": [changed]})), OUTPUTS)
    config = parse(EngineConfig, document, "engine.json")
    named, found = config.pipeline_of(first.stream), config.pipeline_of("events-eu")
    assert found == named.model_copy(update={"stream": "events-eu"})
    assert found.table == '"My {events}"'


def test_what_an_adopted_pipe_makes_of_rows_is_the_engines_to_know() -> None:
    pipe = {"name": "P", "origin": "adopt"}
    lake = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}
    adopted = {"schema": "RAW", "table": "ORDERS", "table_origin": "adopt", "schema_evolution": False}
    snowflake = {"snowflake": {"ingest": {"secret_arn": SECRET}, "databases": [lake]}}
    (silent,) = written(**snowflake, **one_pipeline(**adopted, pipe=pipe))["pipelines"]
    assert "pipe_rows" not in silent
    document = written(**snowflake, **one_pipeline(**adopted, pipe={**pipe, "rows": "several"}))
    assert document["pipelines"][0]["pipe_rows"] == "several"
