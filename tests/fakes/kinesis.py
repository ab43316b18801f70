"""The embedded Kinesis behind a real client, without a server."""

from typing import Any

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_local.kinesis import FakeKinesis

AWS = AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"})


def client_of(kinesis: FakeKinesis) -> Any:
    client = kinesis_client(AWS)
    kinesis.connect(client)
    return client
