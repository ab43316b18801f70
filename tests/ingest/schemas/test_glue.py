"""AWS Glue's Schema Registry; moto answers in this process, and botocore's hook for what moto can't be asked to say."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid5

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from moto import mock_aws

from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import SchemaRegistryError
from firnline_ingest.schemas.errors import (
    RegistryForbidden,
    RegistryStrange,
    RegistryThrottled,
    RegistryUnreachable,
)
from firnline_ingest.schemas.glue import GlueSchemas

ORDER = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}
NOBODYS = uuid5(UUID(int=0), "nobody's")
AWS = AwsConfig(region="eu-west-1")


@pytest.fixture
def glue() -> Iterator[Any]:
    with mock_aws():
        client = boto3.client("glue", region_name="eu-west-1")
        client.create_registry(RegistryName="shop")
        yield client


def registered(glue: Any, definition: Any, data_format: str = "AVRO") -> UUID:
    made = glue.create_schema(
        RegistryId={"RegistryName": "shop"},
        SchemaName=f"orders-{data_format}",
        DataFormat=data_format,
        Compatibility="NONE",
        SchemaDefinition=json.dumps(definition),
    )
    return UUID(made["SchemaVersionId"])


def test_a_version_s_schema_is_had_by_its_id(glue: Any) -> None:
    order = registered(glue, ORDER)
    other = registered(glue, {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}, "JSON")
    ask = GlueSchemas(aws_client(AWS, "glue"), AWS.region)
    assert ask(order) == RegisteredSchema(json.dumps(ORDER))
    found = ask(other)
    assert found.kind == "JSON"
    assert ask(NOBODYS) is None


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "ThrottlingException", RegistryThrottled),
        (400, "AccessDeniedException", RegistryForbidden),
        (400, "UnrecognizedClientException", RegistryForbidden),
        (400, "ExpiredTokenException", RegistryForbidden),
        (400, "InvalidInputException", RegistryUnreachable),
        (500, "InternalServiceException", RegistryUnreachable),
        (200, "", RegistryStrange),
    ],
)
def test_an_answer_that_says_nothing_of_the_schema_passes(
    status: int, code: str, error: type[SchemaRegistryError]
) -> None:
    client = aws_client(AWS, "glue", attempts=1)
    body = json.dumps({"__type": code, "Message": "in the service's words"} if code else {}).encode()

    def answered(**_: object) -> AWSResponse:
        answer = AWSResponse("https://glue", status, {"Content-Type": "application/x-amz-json-1.1"}, None)
        answer._content = body  # as it is where a response was read
        return answer

    client.meta.events.register("before-send", answered)
    with pytest.raises(error, match="of AWS Glue in eu-west-1") as refused:
        GlueSchemas(client, AWS.region)(NOBODYS)
    assert refused.value.is_retryable


def test_a_registry_that_can_t_be_reached_passes() -> None:
    aws = AwsConfig(region="eu-west-1", endpoints={"glue": "http://127.0.0.1:9"})
    with pytest.raises(RegistryUnreachable, match="GetSchemaVersion"):
        GlueSchemas(aws_client(aws, "glue", attempts=1), aws.region)(NOBODYS)
