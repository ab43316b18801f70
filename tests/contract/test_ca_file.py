"""`aws.ca_file` against a real TLS server whose authority nobody else knows: each client of the engine, and one without it."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.client import kinesis_client, subscribing_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.subscription import subscribe
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.snowflake.tls import Certificates, make_certificates
from tests.contract.tls_relay import TlsRelay

pytestmark = pytest.mark.contract

SOON_S = 10.0


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def kinesis() -> FakeKinesis:
    return FakeKinesis(read_limits=False)


@pytest.fixture
def kinesis_url(kinesis: FakeKinesis, certificates: Certificates) -> Iterator[str]:
    kinesis.create_stream("orders")
    with KinesisServer(kinesis) as server, TlsRelay(certificates, urlsplit(server.endpoint).port or 0) as relay:
        yield relay.endpoint


class NothingThere(BaseHTTPRequestHandler):
    """DynamoDB that has no item."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Not in a test's output."""


@pytest.fixture
def ledger_url(certificates: Certificates) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), NothingThere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with TlsRelay(certificates, server.server_port) as relay:
            yield relay.endpoint
        server.shutdown()


def aws(service: str, url: str, ca_file: Path | None) -> AwsConfig:
    return AwsConfig.model_validate(
        {"region": "us-east-1", "endpoints": {service: url}, "ca_file": ca_file}, strict=None
    )


def test_streams_are_read_where_the_authority_is_named(kinesis_url: str, certificates: Certificates) -> None:
    client = kinesis_client(aws("kinesis", kinesis_url, certificates.ca_file))
    assert [shard.id for shard in read_lineage(client, "orders").shards.values()] == ["shardId-000000000000"]


def test_without_the_authority_nothing_is_read_and_the_certificate_is_named(kinesis_url: str) -> None:
    with pytest.raises(FirnlineError, match=r"(?i)certificate") as raised:
        read_lineage(kinesis_client(aws("kinesis", kinesis_url, None)), "orders")
    assert (raised.value.id, "aws.ca_file" in raised.value.next_step) == ("FL-2005", True)


def test_the_ledger_is_asked_where_the_authority_is_named_and_nowhere_else(
    ledger_url: str, certificates: Certificates
) -> None:
    trusting = DynamoLedger(dynamodb_client(aws("dynamodb", ledger_url, certificates.ca_file)), "ledger")
    assert trusting.current_run() is None
    with pytest.raises(FirnlineError, match=r"(?i)certificate") as raised:
        DynamoLedger(dynamodb_client(aws("dynamodb", ledger_url, None)), "ledger").current_run()
    assert (raised.value.id, "aws.ca_file" in raised.value.next_step) == ("FL-2103", True)


def test_a_subscription_lasts_over_tls_and_ends_at_once_when_it_is_closed(
    kinesis: FakeKinesis, kinesis_url: str, certificates: Certificates
) -> None:
    stream = kinesis.stream("orders")
    stream.put({"n": 1})
    made = kinesis.call("RegisterStreamConsumer", {"StreamARN": stream.arn, "ConsumerName": "firnline"})
    request = {
        "ConsumerARN": made["Consumer"]["ConsumerARN"],
        "ShardId": stream.shards[0].id,
        "StartingPosition": {"Type": "TRIM_HORIZON"},
    }
    client = subscribing_client(aws("kinesis", kinesis_url, certificates.ca_file), connections=1)
    subscription = subscribe(client, "orders", request)
    records = []
    give_up_s = time.monotonic() + SOON_S
    while not records and time.monotonic() < give_up_s:
        event = subscription.take(0.25)
        records = list(event.Records) if event else []
    assert [record.Data for record in records] == [b'{"n":1}']
    subscription.close()
    while any(thread.name == "subscription" for thread in threading.enumerate()):
        assert time.monotonic() < give_up_s, "its thread waits on a socket that is shut"
        time.sleep(0.01)
