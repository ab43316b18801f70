import pulumi

from firnline_infra.pulumi.aws import EventStream, EventStreamArgs
from firnline_infra.specification.model import Durability
from tests.infra.pulumi.conftest import Deploy


def test_a_stream_is_encrypted_on_demand_and_protected_unless_it_is_said_otherwise(deploy: Deploy) -> None:
    stream = deploy(lambda: EventStream("s", EventStreamArgs(name="orders")))["s-stream"]
    assert stream.inputs == {
        "name": "orders",
        "streamModeDetails": {"streamMode": "ON_DEMAND"},
        "retentionPeriod": 24,
        "encryptionType": "KMS",
        "kmsKeyId": "alias/aws/kinesis",
        "shardLevelMetrics": [],
        "maxRecordSizeInKib": 1024,
        "enforceConsumerDeletion": False,
        "tags": {},
    }
    assert (stream.protect, stream.ignore_changes) == (True, ())


def test_a_number_of_shards_is_kept(deploy: Deploy) -> None:
    args = EventStreamArgs(name="orders", shards=4, durability=Durability.EPHEMERAL)
    stream = deploy(lambda: EventStream("s", args))["s-stream"]
    assert (stream.inputs["shardCount"], stream.inputs["streamModeDetails"]) == (4, {"streamMode": "PROVISIONED"})
    assert (stream.protect, stream.ignore_changes) == (False, ())
    assert stream.inputs["enforceConsumerDeletion"] is True


def test_of_an_adopted_stream_only_the_consumers_are_made(deploy: Deploy) -> None:
    arn = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    args = EventStreamArgs(name="orders", existing_arn=arn, consumers=("fraud", "search"))

    def program() -> None:
        stream = EventStream("s", args)
        pulumi.export("arn", stream.arn)
        pulumi.export("consumers", stream.consumer_arns)

    deployment = deploy(program)
    assert deployment.children == {
        "s-consumer-fraud": "aws:kinesis/streamConsumer:StreamConsumer",
        "s-consumer-search": "aws:kinesis/streamConsumer:StreamConsumer",
    }
    assert deployment["s-consumer-fraud"].inputs == {"name": "fraud", "streamArn": arn, "tags": {}}
    assert deployment.outputs["arn"] == arn
    assert deployment.outputs["consumers"]["search"] == "arn:aws:of:::s-consumer-search"
