"""Calls of the ledger that don't go botocore's way: the same requests; and what does not succeed is botocore's to find out."""

import json
from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.direct import DirectCall, direct_calls
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerRequestMalformed, LedgerUnavailable
from firnline_ingest.ledger.item_table import ConditionFailed, ItemTable
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Fence, Position, ShardKey
from tests.fakes.wire import Server, answer

NOTHING = answer(b"{}")
REFUSED = answer(b'{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}', "400 Bad Request")
THROTTLED = answer(b'{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}', "400 Bad Request")
ITEM = {"stream": "events@1", "shard": "shardId-1", "note": b"\x00\xff", "count": 7, "is_on": True}
CONDITION = Attr("count").lt(7)


def table_of(server: Server, **more: Any) -> ItemTable:
    aws = {"region": "us-east-1", "endpoints": {"dynamodb": server.url}, **more}
    return ItemTable(dynamodb_client(AwsConfig(**aws)), "ledger")


def direct(table: ItemTable, method: str = "put_item") -> int:
    return table._direct[method].direct


def warm(table: ItemTable, server: Server) -> None:
    """One write by botocore, whose decisions are kept."""
    server.answers.append(NOTHING)
    table.put(ITEM, CONDITION)
    assert direct(table) == 0


def test_the_second_write_is_direct_and_the_same_request(server: Server) -> None:
    table = table_of(server)
    warm(table, server)
    server.answers.append(NOTHING)
    table.put(ITEM, CONDITION)
    assert direct(table) == 1
    (start, first, body), (second_start, second, second_body) = server.requests
    assert start == second_start == "POST / HTTP/1.1"
    assert json.loads(body) == json.loads(second_body)
    assert json.loads(body)["Item"]["note"] == {"B": "AP8="}
    changing = {"authorization", "x-amz-date", "amz-sdk-invocation-id", "content-length"}
    assert {name: first[name] for name in first.keys() - changing} == {
        name: second[name] for name in second.keys() - changing - {"accept-encoding"}
    } | {name: first[name] for name in first.keys() & {"accept-encoding"}}


def test_it_is_signed_as_botocore_would_sign_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "first")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    table = table_of(server)
    warm(table, server)
    server.answers.append(NOTHING)
    table.put(ITEM, CONDITION)
    _, headers, body = server.requests[-1]
    names = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    again = AWSRequest("POST", server.url + "/", headers={name: headers[name] for name in names}, data=body)
    again.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(Credentials("first", "secret"), "dynamodb", "us-east-1")
    signature = signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again)
    assert headers["authorization"].endswith(f"Signature={signature}")


def test_a_read_has_its_item_as_botocore_has_it(server: Server) -> None:
    table = table_of(server)
    item = answer(b'{"Item":{"note":{"B":"AP8="},"count":{"N":"7"},"names":{"L":[{"S":"a"}]}}}')
    server.answers += [item, item]
    first, second = (table.get({"shard": "a"}, dict) for _ in range(2))
    assert direct(table, "get_item") == 1
    assert first == second == {"note": b"\x00\xff", "count": 7, "names": ["a"]}


def test_a_condition_that_does_not_hold_is_asked_about_once(server: Server) -> None:
    table = table_of(server)
    warm(table, server)
    server.answers.append(REFUSED)
    with pytest.raises(ConditionFailed):
        table.put(ITEM, CONDITION)
    assert len(server.requests) == 2


def test_another_refusal_is_botocores_with_its_retries_and_the_parts_of_the_request(server: Server) -> None:
    table = table_of(server)
    warm(table, server)
    malformed = answer(b'{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}', "400 Bad Request")
    server.answers += [malformed, malformed]
    with pytest.raises(LedgerRequestMalformed, match="ConditionExpression"):
        table.put(ITEM, CONDITION)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "first", [None, THROTTLED, answer(b"<html>", "502 Bad Gateway"), answer(b"<html>"), b"?\r\n\r\n"]
)
def test_what_is_no_success_is_made_again(server: Server, first: bytes | None) -> None:
    """An answer that was cut short, a refusal that passes, another server's page, whatever its status."""
    table = table_of(server)
    warm(table, server)
    server.answers += [first, NOTHING]
    table.put(ITEM, CONDITION)
    assert direct(table) == 0
    assert len(server.requests) == 3
    bodies = [json.loads(body) for _, _, body in server.requests]
    assert bodies[1] == bodies[2]


def test_a_write_that_arrived_and_was_not_answered_is_known_for_our_own(server: Server) -> None:
    """The write is made again, its own first success refuses it, and the row that is there is the one that was written."""
    ledger = DynamoLedger(table_of(server).client, "ledger")
    row = ShardRow(key=ShardKey("events", 1, "shardId-1"), start=TrimHorizon(), fence=Fence(1, "me"))
    server.answers.append(NOTHING)
    ledger.write(row)
    server.answers += [None, REFUSED]
    moved = ShardRow(key=row.key, start=row.start, fence=row.fence, read_through=Position(7))
    found: list[Any] = []

    class Answers(list[Any]):
        def pop(self, index: Any = -1) -> Any:
            if self:
                return super().pop(index)
            found.append(json.loads(server.requests[1][2])["Item"])
            return answer(json.dumps({"Item": found[-1]}).encode())

    server.answers = Answers(server.answers)
    ledger.write(moved)
    assert len(found) == 1
    operations = [headers["x-amz-target"].partition(".")[2] for _, headers, _ in server.requests]
    assert operations == ["PutItem", "PutItem", "PutItem", "GetItem"]


def test_a_server_that_is_gone_is_what_botocore_says_of_it(server: Server) -> None:
    table = table_of(server)
    warm(table, server)
    server.close()
    with pytest.raises(LedgerUnavailable, match="Could not connect"):
        table.put(ITEM, CONDITION)


def test_a_proxy_is_botocores(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("NO_PROXY", "")
    table = ItemTable(
        dynamodb_client(AwsConfig(region="us-east-1", endpoints={"dynamodb": "http://dynamodb.example.test"})), "ledger"
    )
    server.answers += [NOTHING, NOTHING]
    table.put(ITEM, CONDITION)
    table.put(ITEM, CONDITION)
    assert direct(table) == 0
    assert len(server.requests) == 2


def test_a_client_of_another_form_is_botocores(server: Server) -> None:
    client: Any = table_of(server).client
    del client._response_parser
    assert direct_calls(client) == {}
    assert isinstance(table_of(server)._direct["put_item"], DirectCall)
