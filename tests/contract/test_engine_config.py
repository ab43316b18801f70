"""The engine's configuration is the contract between the two packages: one golden document, written by one, read by the other."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.blueprint.engine_config import document_hash
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_ingest.config.load import load_config
from firnline_ingest.config.model import EngineConfig

GOLDEN = Path(__file__).parent / "golden" / "engine-prod.json"
PROD = Path(__file__).parents[2] / "stacks" / "environments" / "prod.yaml"
SECRET = "arn:aws:secretsmanager:eu-central-1:333344445555:secret:firnline-prod/snowflake/ingest-AbCdEf"
HASH = "14fc47f6f41716b6"


@pytest.fixture
def prod() -> EnvironmentSpec:
    """Returns prod as it is once `firnline keys create` has said where the private key is."""
    spec = load_spec(PROD)
    ingest = spec.snowflake.ingest.model_copy(update={"secret_arn": SECRET})
    return spec.model_copy(update={"snowflake": spec.snowflake.model_copy(update={"ingest": ingest})})


def document(spec: EnvironmentSpec) -> dict[str, Any]:
    return engine_config(Environment.of(spec), blueprint_of(spec).outputs)


def test_infrastructure_writes_the_golden_document(prod: EnvironmentSpec) -> None:
    """FIRNLINE_WRITE_GOLDEN=1 writes it anew."""
    text = json.dumps(document(prod), indent=2) + "\n"
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
        pytest.fail(f"{GOLDEN.name} was written: review it, and run the test again")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_engine_reads_the_golden_document() -> None:
    config = load_config(GOLDEN)
    assert isinstance(config, EngineConfig)
    assert (config.application, config.ledger.table) == ("firnline-prod", "firnline-prod")
    assert (config.snowflake.user, config.snowflake.private_key.secret_arn) == ("FIRNLINE_PROD_INGEST", SECRET)
    assert [pipeline.table for pipeline in config.pipelines] == ["ORDERS", "CLICKS", "PRICES"]
    assert config.spark.checkpoint == "s3://firnline-prod-333344445555-eu-central-1/checkpoint/firnline-prod/"


def test_both_give_it_the_same_hash_and_it_is_the_one_that_jobs_run_with(prod: EnvironmentSpec) -> None:
    """A change here rolls every job in the world with the next `up`."""
    assert load_config(GOLDEN).content_hash == document_hash(document(prod)) == HASH
