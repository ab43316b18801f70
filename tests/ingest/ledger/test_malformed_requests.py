"""Tests of what DynamoDB calls malformed is not an outage: it is said with the request, without what the items hold."""

from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import ClientError

from firnline_ingest.aws.request_parts import LONGEST, described
from firnline_ingest.ledger.errors import LedgerRequestMalformed
from firnline_ingest.ledger.item_table import ItemTable


class Refusing:
    """A client of DynamoDB that refuses everything with one code."""

    def __init__(self, code: str) -> None:
        self._code = code

    def put_item(self, **_: Any) -> None:
        raise ClientError({"Error": {"Code": self._code, "Message": "reserved keyword: shard"}}, "PutItem")


@pytest.mark.parametrize("code", ["ValidationException", "SerializationException", "UnknownOperationException"])
def test_a_malformed_request_is_fatal_and_has_its_parts_but_no_values(code: str) -> None:
    client: Any = Refusing(code)
    with pytest.raises(LedgerRequestMalformed) as raised:
        ItemTable(client, "rows").put({"stream": "secret-stream"}, Attr("owner").eq("secret-owner"))
    said = str(raised.value)
    assert not raised.value.is_retryable
    for part in ("dynamodb:PutItem", "'rows'", code, "#n0 = :v0", '"owner"', "ExpressionAttributeValues=…", "report"):
        assert part in said
    assert "secret" not in said
    assert "goes on by itself" not in said


def test_the_parts_of_a_request_are_bounded() -> None:
    text = described({"ConditionExpression": "x" * 5_000, "Item": {"a": 1}})
    assert len(text) == LONGEST
    assert text.endswith("…")
