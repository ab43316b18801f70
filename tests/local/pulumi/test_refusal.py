"""Errors as the clients raise them, and the sentences that they become."""

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from snowflake.connector.errors import OperationalError, ProgrammingError

from firnline_local.errors import UnknownTypeToken
from firnline_local.pulumi.errors import ServiceRefused
from firnline_local.pulumi.refusal import readable

TYPE = "aws:kinesis/stream:Stream"


def said(error: Exception) -> str:
    with pytest.raises(ServiceRefused) as refused, readable(TYPE, "orders"):
        raise error
    assert refused.value.__cause__ is error
    return str(refused.value)


def client_error(code: str) -> ClientError:
    answer = {"Error": {"Code": code, "Message": "No."}, "ResponseMetadata": {"RequestId": "r-1"}}
    return ClientError(answer, "CreateStream")


def test_a_refusal_of_aws_keeps_its_code_and_request() -> None:
    text = said(client_error("LimitExceededException"))
    assert f"{TYPE} orders: CreateStream was refused: LimitExceededException: No. (request r-1)" in text


@pytest.mark.parametrize("code", ["ResourceInUseException", "EntityAlreadyExists", "BucketAlreadyExists"])
def test_a_taken_name_of_aws_can_be_adopted(code: str) -> None:
    assert f"adopt what exists (pulumi import {TYPE} orders <id>)" in said(client_error(code))


def test_a_taken_name_of_snowflake_can_be_adopted() -> None:
    error = ProgrammingError(msg="Object 'D' already exists.", errno=2002, sqlstate="42710")
    assert "Object 'D' already exists." in said(error)
    assert "adopt what exists" in said(error)


def test_a_missing_grant_is_to_be_granted() -> None:
    assert "grant what is missing" in said(client_error("AccessDeniedException"))
    error = ProgrammingError(msg="Insufficient privileges to operate on account", errno=3001, sqlstate="42501")
    assert "grant what is missing" in said(error)


def test_what_somebody_added_is_to_be_removed_before_what_it_is_on() -> None:
    assert "remove what is on it" in said(client_error("DeleteConflict"))


def test_an_environment_that_is_gone_is_to_be_started() -> None:
    assert "firnline local up" in said(EndpointConnectionError(endpoint_url="http://127.0.0.1:1"))
    assert "firnline local up" in said(OperationalError(msg="Failed to connect", errno=250001))


def test_what_no_service_said_is_our_defect() -> None:
    text = said(KeyError("name"))
    assert "KeyError: 'name'" in text
    assert "a defect of ours" in text


def test_an_error_of_ours_passes_as_it_is() -> None:
    with pytest.raises(UnknownTypeToken), readable(TYPE, "orders"):
        raise UnknownTypeToken("x", known=[])
