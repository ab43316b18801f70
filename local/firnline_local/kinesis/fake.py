"""FakeKinesis: the Kinesis Data Streams of one account and region, in this process.

Everything that goes through an operation behaves as the service documents it; everything else here is for the test that
sets the scene or looks at what came of it.
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from firnline_local.clock import Clock, SystemClock
from firnline_local.decoding import decoder_of
from firnline_local.faults import FaultPlan
from firnline_local.kinesis.errors import FakeKinesisError, validation
from firnline_local.kinesis.handles import StreamHandle
from firnline_local.kinesis.liberties import Liberties
from firnline_local.kinesis.operations import find_operation
from firnline_local.kinesis.operations.subscriptions import SubscribeToShard, subscribe
from firnline_local.kinesis.stream import KinesisAccount, StreamSettings
from firnline_local.kinesis.subscription import Subscription
from firnline_local.kinesis.wire import TARGET_PREFIX, connect
from firnline_local.service_models.judge import DEFECT, ReadRequest, judged, wrong_answer
from firnline_local.service_models.models import WireRequest

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

Request = TypeVar("Request")
JUDGED_BYTES = 1 << 18
"""The longest request or answer that is held against the service's model: of more bytes, most are records' own, and a reader of
records waits for each of them. Its bounds are those of `operations/` alone.
"""


class FakeKinesis:
    """Streams that a test makes, fills, reshards and reads; what it does and doesn't is in docs/fake-kinesis.md.

    Code under test gets a real boto3 client, which is answered here without a socket:

    >>> from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, ManualClock
    >>> clock = ManualClock()
    >>> kinesis = FakeKinesis(clock=clock)
    >>> orders = kinesis.create_stream("orders", shards=2)
    >>> client = kinesis.client()
    >>> put = client.put_record(StreamName="orders", PartitionKey="customer-7", Data=b'{"id": 1}')
    >>> [record.data for record in orders.records]
    [b'{"id": 1}']

    The test itself speaks to streams and shards by handles, which know no limits and no faults:

    >>> parent = orders.shard(0, records=10)  # ten samples in shard 0
    >>> left, right = parent.split()  # the parent is closed, and puts go to its children
    >>> parent.is_open, left.put("x", key="customer-8").shard_id
    (False, 'shardId-000000000002')
    >>> clock.advance(hours=25)  # and now everything has left retention
    >>> orders.records
    []

    Faults hit the calls of a client, in the same places each time:

    >>> throttled = Fault(endpoint="kinesis:GetRecords", kind=FaultKind.ERROR, status=400, code="LimitExceededException")
    >>> kinesis.faults.replace([throttled])

    Faults (`kinesis.faults`) and limits apply to operations: through `client`, `connect`, or a KinesisServer. Handles and
    `call` know no faults. Thread-safe.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        seed: int = 0,
        account_id: str = "123456789012",
        region: str = "us-east-1",
        read_limits: bool = True,
        write_limits: bool = False,
        empty_page_every: int | None = None,
        creating_s: float = 0,
        settling_s: float = 0,
        updating_s: float = 0,
        faults: FaultPlan | None = None,
    ) -> None:
        """The same seed and clock give the same sequence numbers.

        `read_limits`: five GetRecords and five GetShardIterator a second and shard, and 2 MiB a second; 1,000 ListShards a
        second and stream; 20 DescribeStreamSummary a second in all.
        `write_limits`: 1,000 records and 1 MiB a second and shard.
        `empty_page_every`: each n-th page of a shard is empty although records are waiting, which the service may do.
        `creating_s`, `updating_s`: how long a stream is CREATING that an operation made, and UPDATING once one has changed it.
        `settling_s`: how long one that is ACTIVE is still unknown to PutRecord and PutRecords that name it without its ARN.
        Handles make and change streams at once.
        """
        self.account = KinesisAccount(
            clock=clock or SystemClock(),
            seed=seed,
            account_id=account_id,
            region=region,
            read_limits=read_limits,
            write_limits=write_limits,
            liberties=Liberties(empty_page_every),
            creating_s=creating_s,
            settling_s=settling_s,
            updating_s=updating_s,
        )
        self.faults = faults or FaultPlan()

    @property
    def clock(self) -> Clock:
        return self.account.clock

    @property
    def liberties(self) -> Liberties:
        """Set its fields: what the service is free to answer, and mostly does not (kinesis/liberties.py)."""
        return self.account.liberties

    @property
    def speaks_cbor(self) -> bool:
        return not self.account.liberties.refuses_cbor

    def create_stream(self, name: str, *, shards: int = 1, retention_hours: int = 24) -> StreamHandle:
        """Raises FakeKinesisError for a name that is taken."""
        with self.account.lock:
            self.account.create(name, shards=shards, settings=StreamSettings(retention_hours=retention_hours))
        return self.stream(name)

    def stream(self, name: str) -> StreamHandle:
        """Raises FakeKinesisError for a stream that isn't there."""
        with self.account.lock:
            self.account.find(name=name)
        return StreamHandle(self.account, name)

    @property
    def streams(self) -> list[StreamHandle]:
        with self.account.lock:
            return [StreamHandle(self.account, name) for name in sorted(self.account.streams)]

    def client(self) -> "KinesisClient":
        """A real boto3 client whose requests are answered here. Needs boto3."""
        import boto3

        client = boto3.client(
            "kinesis",
            region_name=self.account.region,
            aws_access_key_id="fake",
            aws_secret_access_key="fake",  # noqa: S106 - requests have to be signed, and no signature is checked
        )
        self.connect(client)
        return client

    def connect(self, client: "KinesisClient") -> None:
        """Answers the requests of a client that code under test has made, with its own configuration."""
        connect(client, self)

    def call(self, operation: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """An operation by its name, in boto3's shapes (bytes, datetimes), without boto3. Raises FakeKinesisError."""
        body = self.handle(operation, msgspec.json.encode(request or {}))
        answer: dict[str, Any] = json.loads(body or b"{}", object_hook=_python_values)
        return answer

    def subscribe(self, body: bytes) -> Subscription:
        """SubscribeToShard: what it pushes from now on. Raises FakeKinesisError."""
        _read("SubscribeToShard", body)
        request = _decoded("SubscribeToShard", body, SubscribeToShard)
        with self.account.lock:
            return subscribe(self.account, request)

    def handle(self, operation: str, body: bytes) -> bytes:
        """An operation on the wire: JSON in, JSON out. Raises FakeKinesisError."""
        kind, answer = find_operation(operation)
        asked = _read(operation, body)
        request = _decoded(operation, body, kind)
        with self.account.lock:
            content = answer(self.account, request)
        encoded = content if isinstance(content, bytes) else b"" if content is None else msgspec.json.encode(content)
        if asked and len(encoded) <= JUDGED_BYTES and (wrong := wrong_answer(asked, encoded)):
            raise FakeKinesisError(DEFECT, "; ".join(wrong), 501)
        return encoded


def _read(operation: str, body: bytes) -> ReadRequest | None:
    """The request as the service's model has it, if it is short enough. Raises FakeKinesisError for one that breaks the model."""
    if len(body) > JUDGED_BYTES:
        return None
    wire = WireRequest("POST", "/", "", {"x-amz-target": f"{TARGET_PREFIX}{operation}"}, body)
    asked, refused = judged("kinesis", wire)
    if refused:
        raise FakeKinesisError(refused.code, refused.message)
    return asked


def _decoded(operation: str, body: bytes, kind: type[Request]) -> Request:
    try:
        return decoder_of(kind).decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise validation(f"{operation}: {error}") from error
    except msgspec.DecodeError as error:
        raise FakeKinesisError("SerializationException", str(error)) from error


def _python_values(fields: dict[str, Any]) -> dict[str, Any]:
    if "Data" in fields:
        fields["Data"] = b64decode(fields["Data"])
    for name in ("ApproximateArrivalTimestamp", "ConsumerCreationTimestamp", "StreamCreationTimestamp"):
        if name in fields:
            fields[name] = datetime.fromtimestamp(fields[name], UTC)
    return fields
