import json
from pathlib import Path

from firnline_infra.blueprint import EngineInputs, engine_config
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.config import EngineConfig
from firnline_ingest.config.document import parse

GOLDEN = Path(__file__).parent / "golden"
OUTPUTS = EngineInputs(
    private_key={"file": "/env/keys/ingest.pem"},
    dead_letters_folder="/env/dead-letters",
    spark_checkpoint="/env/checkpoint",
    aws_endpoints={"kinesis": "http://127.0.0.1:4567", "dynamodb": "http://127.0.0.1:5000"},
    snowflake_url="https://127.0.0.1:8443",
    snowflake_ca_file="/env/ca.pem",
    spark_master="local[2]",
)


def test_the_document_is_the_reviewed_one(local_spec: EnvironmentSpec) -> None:
    document = engine_config(local_spec, OUTPUTS)
    assert json.dumps(document, indent=2) + "\n" == (GOLDEN / "local-engine.json").read_text()


def test_the_engine_reads_it(local_spec: EnvironmentSpec, wide_spec: EnvironmentSpec) -> None:
    local = parse(EngineConfig, engine_config(local_spec, OUTPUTS), "engine.json")
    assert local.snowflake.base_url == "https://127.0.0.1:8443"
    assert local.aws.endpoints["kinesis"] == "http://127.0.0.1:4567"

    wide = parse(EngineConfig, engine_config(wide_spec, OUTPUTS), "engine.json")
    assert (wide.application, wide.ledger.table, wide.snowflake.role) == ("lake", "lake-ledger", '"Loader role"')
    assert [pipeline.table for pipeline in wide.pipelines] == ['"Clicks"', wide.pipelines[1].table]


def test_what_is_public_is_left_out(local_spec: EnvironmentSpec) -> None:
    outputs = EngineInputs(
        private_key={"env": "KEY"}, dead_letters_folder="d", spark_checkpoint="s3://bucket/checkpoint"
    )
    document = engine_config(local_spec, outputs)
    assert {"url", "ca_file"}.isdisjoint(document["snowflake"])
    config = parse(EngineConfig, document, "engine.json")
    assert config.snowflake.base_url == "https://FIRNLINE-LOCAL.snowflakecomputing.com"


def test_the_same_inputs_give_the_same_hash(local_spec: EnvironmentSpec) -> None:
    first, second = (parse(EngineConfig, engine_config(local_spec, OUTPUTS), "engine.json") for _ in range(2))
    assert first.content_hash == second.content_hash
