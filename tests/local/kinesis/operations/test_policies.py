import json

from firnline_local.kinesis import FakeKinesis, StreamHandle

POLICY = json.dumps({"Statement": [{"Effect": "Allow"}]})


def test_a_stream_keeps_its_policy_until_it_is_deleted(kinesis: FakeKinesis, orders: StreamHandle) -> None:
    def policy_of(arn: str) -> str:
        return str(kinesis.call("GetResourcePolicy", {"ResourceARN": arn})["Policy"])

    assert policy_of(orders.arn) == "{}"
    consumer = kinesis.call("RegisterStreamConsumer", {"StreamARN": orders.arn, "ConsumerName": "c"})["Consumer"]
    kinesis.call("PutResourcePolicy", {"ResourceARN": orders.arn, "Policy": POLICY})
    assert (policy_of(orders.arn), policy_of(consumer["ConsumerARN"])) == (POLICY, "{}")
    kinesis.call("DeleteResourcePolicy", {"ResourceARN": orders.arn})
    assert policy_of(orders.arn) == "{}"
