"""The table of endpoints says what botocore's own reading of it says, whatever is asked."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import JSONFileLoader, create_loader
from botocore.regions import EndpointResolver

from firnline_ingest.aws.endpoints import DescriptionFiles, Services
from firnline_ingest.aws.session import new_session

SERVICES = ("kinesis", "dynamodb", "s3", "sts", "secretsmanager", "glue", "monitoring", "iam", "no-such-service")
REGIONS = ("us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1", "us-isob-east-1", "xx-new-9", None)


@pytest.fixture
def own() -> dict[str, Any]:
    """Read for each test: a resolver writes into what it has resolved."""
    table: dict[str, Any] = create_loader().load_data("endpoints")
    return table


@pytest.fixture
def lazy() -> Any:
    return new_session().get_component("data_loader").load_data("endpoints")


def test_each_partition_has_the_same_services_with_the_same_endpoints(own: dict[str, Any], lazy: Any) -> None:
    assert isinstance(lazy["partitions"][0]["services"], Services)
    assert _plain(lazy) == own
    for one, other in zip(lazy["partitions"], own["partitions"], strict=True):
        assert list(one["services"]) == list(other["services"])
        assert list(one["services"]["s3"]["endpoints"]) == list(other["services"]["s3"]["endpoints"])


def _plain(table: Mapping[str, Any]) -> dict[str, Any]:
    return {**table, "partitions": [{**each, "services": dict(each["services"])} for each in table["partitions"]]}


@pytest.mark.parametrize("service", SERVICES)
def test_a_resolver_finds_the_same(service: str, own: dict[str, Any], lazy: Any) -> None:
    ours, botocores = EndpointResolver(lazy), EndpointResolver(own)
    for partition in ("aws", "aws-cn"):
        assert ours.get_available_endpoints(service, partition) == botocores.get_available_endpoints(service, partition)
    for region in REGIONS:
        assert _found(ours, service, region) == _found(botocores, service, region)


def _found(resolver: EndpointResolver, service: str, region: str | None) -> object:
    try:
        return resolver.construct_endpoint(service, region)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("content", [{"version": 3}, {"partitions": [{"partition": "aws"}]}, {"partitions": 1}])
def test_a_table_of_another_form_is_read_as_botocore_reads_it(content: object, tmp_path: Path) -> None:
    path = tmp_path / "endpoints"
    path.with_suffix(".json").write_text(json.dumps(content))
    assert DescriptionFiles().load_file(str(path)) == JSONFileLoader().load_file(str(path)) == content


def test_a_table_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert DescriptionFiles().load_file(str(tmp_path / "endpoints")) is None
