import json
from io import BytesIO
from typing import Any

import pytest

from firnline_local.aws.call import REST_JSON, Protocol, error_answer, identify
from firnline_local.endpoints import AWS_SERVICES
from firnline_local.service_models.models import service_model


def environ(service: str = "", method: str = "POST", body: bytes = b"", **headers: str) -> dict[str, Any]:
    signed = f"AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host"
    return {
        "REQUEST_METHOD": method,
        "PATH_INFO": "/",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        **({"HTTP_AUTHORIZATION": signed} if service else {}),
        **headers,
    }


def test_a_json_call_is_named_by_its_target() -> None:
    call = identify(environ("dynamodb", HTTP_X_AMZ_TARGET="DynamoDB_20120810.UpdateItem"))
    assert (call.endpoint, call.protocol) == ("dynamodb:UpdateItem", Protocol.JSON)


def test_a_query_call_is_named_by_its_action_and_can_still_be_read() -> None:
    body = b"Action=CreateRole&Version=2010-05-08&RoleName=a"
    request = environ("iam", body=body, CONTENT_TYPE="application/x-www-form-urlencoded; charset=utf-8")
    call = identify(request)
    assert (call.endpoint, call.protocol) == ("iam:CreateRole", Protocol.QUERY)
    assert request["wsgi.input"].read() == body


def test_a_call_to_s3_is_named_by_its_method() -> None:
    call = identify(environ("s3", method="PUT", body=b"Action=not-this"))
    assert (call.endpoint, call.protocol) == ("s3:PUT", Protocol.REST_XML)


def test_a_call_whose_protocol_is_rest_json_is_refused_in_it() -> None:
    call = identify(environ("scheduler", method="GET"))
    assert (call.endpoint, call.protocol) == ("scheduler:GET", Protocol.REST_JSON)
    answer = error_answer(call, status=400, code="ValidationException", message="no")
    assert json.loads(answer.body)["__type"] == "ValidationException"


def test_every_service_that_is_rest_json_is_known_to_be() -> None:
    found = {each for each in AWS_SERVICES if service_model(each).metadata["protocol"] == "rest-json"}
    assert found == REST_JSON


def test_a_presigned_call_is_known_by_its_query() -> None:
    query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20260101%2Fus-east-1%2Fs3%2Faws4_request"
    assert identify(environ(method="GET", QUERY_STRING=query)).endpoint == "s3:GET"


@pytest.mark.parametrize(
    ("request_", "endpoint"),
    [
        (environ(QUERY_STRING="Action=AssumeRoleWithWebIdentity"), "sts:AssumeRoleWithWebIdentity"),
        (environ(HTTP_X_AMZ_TARGET="DynamoDB_20120810.GetItem"), "dynamodb:GetItem"),
        (environ(method="GET"), "s3:GET"),
        (environ(method="GET", HTTP_AUTHORIZATION="Basic nonsense"), "s3:GET"),
    ],
)
def test_an_unsigned_call_is_guessed(request_: dict[str, Any], endpoint: str) -> None:
    assert identify(request_).endpoint == endpoint
