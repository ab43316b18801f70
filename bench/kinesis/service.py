"""The operations of Kinesis that a reader needs, answered from canned shards, under the service's own read limits."""

import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from bench.kinesis.shard import CannedShard, located
from bench.payload import SIZE_BYTES
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.limits import ReadMeter
from firnline_local.kinesis.wire import TARGET_PREFIX, Reply

COUNTS = "/__firnline__/counts"
CREATED_S = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
MAX_RECORDS = 10_000
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
        self.counts = {"reads": 0, "refused": 0, "records": 0}

    def reply(self, request: HttpRequest) -> Reply:
        if request.target == COUNTS:
            return _json(self.counts)
        operation = request.headers.get("x-amz-target", "").removeprefix(TARGET_PREFIX)
        body: Request = json.loads(request.body)
        match operation:
            case "GetRecords":
                return self._get_records(body)
            case "GetShardIterator":
                return _json({"ShardIterator": self._iterator(body)})
            case "ListShards":
                return _json({"Shards": [_listed(shard) for shard in self._shards.values()]})
            case "DescribeStreamSummary":
                return _json({"StreamDescriptionSummary": self._summary(body["StreamName"])})
        return _json({"__type": "UnknownOperationException", "message": operation}, status=400)

    def _get_records(self, request: Request) -> Reply:
        index, _, first = request["ShardIterator"].partition(":")
        shard = list(self._shards.values())[int(index)]
        now_s = self._clock()
        meter = self._meters[shard.id]
        if not meter.admits(int(now_s * 1000)):
            self.counts["refused"] += 1
            return _json(TOO_MANY, status=400)
        body, records = shard.page(int(first), request.get("Limit", MAX_RECORDS), now_s)
        meter.count(int(now_s * 1000), records * self._record_bytes)
        self.counts["reads"] += 1
        self.counts["records"] += records
        return Reply(200, body)

    def _iterator(self, request: Request) -> str:
        shard = self._shards[request["ShardId"]]
        first = 0
        if "StartingSequenceNumber" in request:
            _, first = located(int(request["StartingSequenceNumber"]))
            first += request["ShardIteratorType"] == "AFTER_SEQUENCE_NUMBER"
        return f"{shard.index}:{first}"

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


def _listed(shard: CannedShard) -> Request:
    return {
        "ShardId": shard.id,
        "HashKeyRange": {"StartingHashKey": str(shard.index), "EndingHashKey": str(shard.index)},
        "SequenceNumberRange": {"StartingSequenceNumber": str(shard.sequence_number(0))},
    }


def _json(document: object, status: int = 200) -> Reply:
    return Reply(status, json.dumps(document).encode())
