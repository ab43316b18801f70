import json

import pytest

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind
from firnline_local.kinesis.wire import CONTENT_TYPE, TARGET_PREFIX, Reply, respond


def ask(kinesis: FakeKinesis, operation: str = "ListStreams", content_type: str = CONTENT_TYPE) -> Reply:
    return respond(kinesis, target=f"{TARGET_PREFIX}{operation}", content_type=content_type, body=b"{}")


def test_an_answer_is_json(kinesis: FakeKinesis) -> None:
    reply = ask(kinesis)
    assert (reply.status, reply.is_cut, reply.delay_s) == (200, False, 0)
    assert json.loads(reply.body)["StreamNames"] == []


def test_cbor_is_refused_with_the_way_out(kinesis: FakeKinesis) -> None:
    reply = ask(kinesis, content_type="application/x-amz-cbor-1.1")
    assert reply.status == 400
    assert "AWS_CBOR_DISABLE" in json.loads(reply.body)["message"]


@pytest.mark.parametrize("target", ["", "DynamoDB_20120810.GetItem"])
def test_another_services_target_is_refused(kinesis: FakeKinesis, target: str) -> None:
    reply = respond(kinesis, target=target, content_type=CONTENT_TYPE, body=b"{}")
    assert json.loads(reply.body)["__type"] == "UnknownOperationException"


def test_a_fault_without_a_code_is_an_internal_failure(kinesis: FakeKinesis) -> None:
    kinesis.faults.replace([Fault(endpoint="kinesis:*", kind=FaultKind.ERROR)])
    reply = ask(kinesis)
    assert (reply.status, json.loads(reply.body)["__type"]) == (500, "InternalFailureException")


def test_a_fault_answers_with_its_own_status_code_and_message(kinesis: FakeKinesis) -> None:
    fault = Fault(endpoint="kinesis:*", kind=FaultKind.ERROR, status=400, code="KMSThrottlingException", message="slow")
    kinesis.faults.replace([fault])
    reply = ask(kinesis)
    assert (reply.status, json.loads(reply.body)) == (400, {"__type": "KMSThrottlingException", "message": "slow"})


def test_a_slow_answer_is_the_right_one_and_late(kinesis: FakeKinesis) -> None:
    kinesis.faults.replace([Fault(endpoint="kinesis:*", kind=FaultKind.SLOW, delay_s=2.5, times=1)])
    slow, usual = ask(kinesis), ask(kinesis)
    assert (slow.delay_s, usual.delay_s) == (2.5, 0)
    assert slow.body == usual.body
