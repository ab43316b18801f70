"""The embedded Kinesis behind a real client, without a server, and what it is told to refuse."""

import json
import time
from typing import Any

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_local.kinesis import FakeKinesis, Fault, FaultKind

LOOK_EVERY_S, GIVE_UP_S = 0.02, 120.0
AWS = AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"})


def client_of(kinesis: FakeKinesis) -> Any:
    client = kinesis_client(AWS)
    kinesis.connect(client)
    return client


def made_active(client: Any, name: str, *, shards: int = 1) -> None:
    """By an operation, as anybody does: the stream is CREATING for a moment, and this returns once it is ACTIVE.

    A listing is asked for, whose limit is the stream's own; that of a summary is the account's, and tests share one.
    """
    client.create_stream(StreamName=name, ShardCount=shards)
    give_up_s = time.monotonic() + GIVE_UP_S
    while True:
        try:
            client.list_shards(StreamName=name, MaxResults=1)
        except client.exceptions.ResourceInUseException:
            assert time.monotonic() < give_up_s, f"{name} is still CREATING"
            time.sleep(LOOK_EVERY_S)
        else:
            return


def refused(operation: str, code: str, *, status: int = 400, **more: Any) -> Fault:
    return Fault(endpoint=f"kinesis:{operation}", kind=FaultKind.ERROR, status=status, code=code, **more)


def answering(operation: str, body: str, **more: Any) -> Fault:
    """With a good status over this body."""
    return Fault(endpoint=f"kinesis:{operation}", kind=FaultKind.BODY, body=body, **more)


def only_counted(operation: str) -> Fault:
    """From now on; nothing is refused."""
    return Fault(endpoint=f"kinesis:{operation}", kind=FaultKind.ERROR, times=0)


def faults_of(kinesis: FakeKinesis) -> list[dict[str, Any]]:
    """Returns of each fault its endpoint, the calls that it has seen and those that it hit."""
    faults: list[dict[str, Any]] = json.loads(kinesis.faults.to_json())
    return faults
