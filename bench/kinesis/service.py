"""The operations of Kinesis that a reader needs, answered from canned shards, under the service's own read limits."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from typing import Any

from bench.kinesis.pushing import CannedPushes, Pushed
from bench.kinesis.shard import CannedShard, located
from bench.payload import SIZE_BYTES
from firnline_local.kinesis import cbor
from firnline_local.kinesis.event_stream import CONTENT_TYPE
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.limits import ReadMeter
from firnline_local.kinesis.wire import CONTENT_TYPE as CONTENT_TYPE_JSON
from firnline_local.kinesis.wire import TARGET_PREFIX, Reply

COUNTS = "/__firnline__/counts"
PUSHED = "/__firnline__/pushed"
CONSUMER_ARN = "arn:aws:kinesis:us-east-1:123456789012:stream/orders/consumer/bench:1767225600"
CREATED_S = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
CONSUMER = {
    "ConsumerName": "bench",
    "ConsumerARN": CONSUMER_ARN,
    "ConsumerStatus": "ACTIVE",
    "ConsumerCreationTimestamp": CREATED_S,
    "StreamARN": CONSUMER_ARN.partition("/consumer/")[0],
}
MAX_RECORDS = 10_000
HASH_KEYS = 2**128
TOO_MANY = {"__type": "ProvisionedThroughputExceededException", "message": "Rate exceeded for the shard."}

Request = dict[str, Any]


class CannedKinesis:
    """Counts what it was asked, and how often it had to refuse."""

    def __init__(
        self,
        shards: Sequence[CannedShard],
        *,
        record_bytes: int = SIZE_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._shards = {shard.id: shard for shard in shards}
        self._meters = {shard.id: ReadMeter() for shard in shards}
        self._record_bytes = record_bytes
        self._clock = clock
        self.counts = {"reads": 0, "refused": 0, "records": 0, "subscriptions": 0}
        self._pushed: list[Pushed] = []

    def reply(self, request: HttpRequest) -> Reply:
        if request.target in (COUNTS, PUSHED):
            return _json(self.counts if request.target == COUNTS else [astuple(each) for each in self._pushed])
        operation = request.headers.get("x-amz-target", "").removeprefix(TARGET_PREFIX)
        answers: dict[str, Callable[[Request], Reply]] = {
            "GetRecords": self._get_records,
            "SubscribeToShard": self._subscribed,
            "GetShardIterator": lambda body: _json({"ShardIterator": self._iterator(body)}),
            "ListShards": lambda _: _json({"Shards": [self._listed(shard) for shard in self._shards.values()]}),
            "DescribeStreamSummary": lambda body: _json(
                {"StreamDescriptionSummary": self._summary(body["StreamName"])}
            ),
            "DescribeStreamConsumer": lambda _: _json({"ConsumerDescription": CONSUMER}),
        }
        if operation not in answers:
            return _json({"__type": "UnknownOperationException", "message": operation}, status=400)
        if request.headers.get("content-type", "").partition(";")[0] != cbor.CONTENT_TYPE:
            return answers[operation](json.loads(request.body))
        if operation == "GetRecords":
            return self._get_records(cbor.decode(request.body), in_cbor=True)
        reply = answers[operation](cbor.decode(request.body))
        if reply.content_type != CONTENT_TYPE_JSON:
            return reply
        return Reply(reply.status, cbor.answer_as_cbor(reply.body), content_type=cbor.CONTENT_TYPE)

    def _get_records(self, request: Request, *, in_cbor: bool = False) -> Reply:
        index, _, first = request["ShardIterator"].partition(":")
        shard = list(self._shards.values())[int(index)]
        now_s = self._clock()
        meter = self._meters[shard.id]
        if not meter.admits(int(now_s * 1000)):
            self.counts["refused"] += 1
            refusal = json.dumps(TOO_MANY).encode()
            body, form = (cbor.answer_as_cbor(refusal), cbor.CONTENT_TYPE) if in_cbor else (refusal, CONTENT_TYPE_JSON)
            return Reply(400, body, content_type=form)
        page = shard.page_in_cbor if in_cbor else shard.page
        body, records = page(int(first), request.get("Limit", MAX_RECORDS), now_s)
        meter.count(int(now_s * 1000), records * self._record_bytes)
        self.counts["reads"] += 1
        self.counts["records"] += records
        return Reply(200, body, content_type=cbor.CONTENT_TYPE if in_cbor else CONTENT_TYPE_JSON)

    def _iterator(self, request: Request) -> str:
        number = request.get("StartingSequenceNumber")
        return f"{self._shards[request['ShardId']].index}:{_first(number, request['ShardIteratorType'])}"

    def _subscribed(self, request: Request) -> Reply:
        """At once, however soon after another: a reader that comes back is no matter here."""
        self.counts["subscriptions"] += 1
        position = request["StartingPosition"]
        first = _first(position.get("SequenceNumber"), position["Type"])
        shard = self._shards[request["ShardId"]]
        pushes = CannedPushes(shard, first, self._record_bytes, self._clock, self._note)
        return Reply(200, b"", content_type=CONTENT_TYPE, pushes=pushes)  # type: ignore[arg-type] # as far as a pusher asks

    def _listed(self, shard: CannedShard) -> Request:
        """Shards share the hash keys evenly, as those of a new stream do."""
        first, after = (HASH_KEYS * number // len(self._shards) for number in (shard.index, shard.index + 1))
        return {
            "ShardId": shard.id,
            "HashKeyRange": {"StartingHashKey": str(first), "EndingHashKey": str(after - 1)},
            "SequenceNumberRange": {"StartingSequenceNumber": str(shard.sequence_number(0))},
        }

    def _note(self, pushed: Pushed) -> None:
        self.counts["records"] += pushed.after - pushed.first
        self._pushed.append(pushed)

    def _summary(self, stream: str) -> Request:
        return {
            "StreamName": stream,
            "StreamARN": f"arn:aws:kinesis:us-east-1:123456789012:stream/{stream}",
            "StreamStatus": "ACTIVE",
            "RetentionPeriodHours": 24,
            "StreamCreationTimestamp": CREATED_S,
            "EnhancedMonitoring": [],
            "OpenShardCount": len(self._shards),
        }


def _first(number: str | None, kind: str) -> int:
    """Returns the record of its shard that a position means; the first if it names none."""
    return 0 if number is None else located(int(number))[1] + (kind == "AFTER_SEQUENCE_NUMBER")


def _json(document: object, status: int = 200) -> Reply:
    return Reply(status, json.dumps(document).encode())
