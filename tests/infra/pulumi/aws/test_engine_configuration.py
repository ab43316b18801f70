import json
from typing import Any

import pulumi

from firnline_infra.pulumi.aws import EngineConfiguration, EngineConfigurationArgs
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from tests.infra.pulumi.conftest import Deploy

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "application": "orders",
    "aws": {"region": "eu-west-1"},
    "ledger": {"table": "orders"},
    "snowflake": {"account": "ORG-ACCOUNT", "user": "L", "role": "L", "private_key": {"env": "KEY"}},
    "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
    "dead_letters": {"folder": "/letters"},
    "spark": {"checkpoint": "s3://lake/checkpoint/"},
}


def program(**args: Any) -> Any:
    def run() -> None:
        made = EngineConfiguration("e", EngineConfigurationArgs(**args))
        pulumi.export("hash", made.hash)
        pulumi.export("url", made.url)

    return run


def test_the_object_has_the_engines_own_hash_for_a_name_and_stays_for_those_that_run_with_it(deploy: Deploy) -> None:
    deployment = deploy(program(document=DOCUMENT, bucket="lake"))
    stored = deployment["e-document"]
    content_hash = parse(EngineConfig, DOCUMENT, "engine.json").content_hash
    assert stored.inputs["key"] == f"configuration/{content_hash}.json"
    assert json.loads(stored.inputs["content"]) == DOCUMENT
    assert (stored.retain_on_delete, stored.protect) == (True, False)
    assert deployment.outputs == {"hash": content_hash, "url": f"s3://lake/configuration/{content_hash}.json"}


def test_a_changed_document_is_another_object(deploy: Deploy) -> None:
    keys = {
        deploy(program(document={**DOCUMENT, "application": name}, bucket="lake"))["e-document"].inputs["key"]
        for name in ("orders", "clicks", "orders")
    }
    assert len(keys) == 2


def test_without_a_bucket_there_is_no_object(deploy: Deploy) -> None:
    deployment = deploy(program(document=DOCUMENT))
    assert deployment.made == []
    assert deployment.outputs["hash"]
