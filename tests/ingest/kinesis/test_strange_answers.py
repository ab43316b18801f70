"""A good status over what is not an answer of the service's passes, as no answer does: whichever operation it is of."""

from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.matching import list_streams
from firnline_ingest.kinesis.missing import Incarnations, gone_shards
from firnline_ingest.kinesis.registering import find_consumer, register_consumer
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.values import Fence, ShardKey
from firnline_local.kinesis import FakeKinesis
from tests.fakes.kinesis import answering, client_of

ARN = "arn:aws:kinesis:us-east-1:123456789012:stream/events"
Ask = Callable[[Any], object]


def lineage(client: Any) -> object:
    return read_lineage(client, "events")


def consumer(client: Any) -> object:
    return find_consumer(client, "events", ARN, "c")


STRANGE: list[tuple[str, str, Ask]] = [
    ("ListShards", '{"Shards":[{}]}', lineage),
    ("ListShards", '{"Shards":[{"ShardId":"s","HashKeyRange":{}}]}', lineage),
    ("ListShards", '{"Shards":7}', lineage),
    ("ListShards", "[]", lineage),
    ("DescribeStreamSummary", '{"StreamDescriptionSummary":{}}', lineage),
    (
        "DescribeStreamSummary",
        '{"StreamDescriptionSummary":[7]}',
        lambda client: Incarnations(client).created_ms("events"),
    ),
    ("ListStreams", '{"StreamNames":["a"],"StreamSummaries":[{}]}', list_streams),
    ("ListStreams", '{"StreamNames":"a","StreamSummaries":7}', list_streams),
    ("ListStreamConsumers", '{"Consumers":[{}]}', consumer),
    ("ListStreamConsumers", '{"Consumers":[{"ConsumerName":"c"}]}', consumer),
    ("RegisterStreamConsumer", '{"Consumer":{}}', lambda client: register_consumer(client, "events", ARN, "c")),
    (
        "DescribeStreamConsumer",
        '{"ConsumerDescription":{}}',
        lambda client: Consumers(client).make_sure_of("events", ARN),
    ),
    ("GetShardIterator", "{}", lambda client: gone_shards(client, "events", ["shardId-000000000000"])),
]


@pytest.mark.parametrize(("operation", "body", "ask"), STRANGE)
def test_it_is_trouble_that_passes_and_names_the_operation(operation: str, body: str, ask: Ask) -> None:
    kinesis = FakeKinesis()
    kinesis.create_stream("events")
    kinesis.faults.replace([answering(operation, body, times=1)])
    with pytest.raises(FirnlineError, match=operation) as raised:
        ask(client_of(kinesis))
    assert raised.value.is_retryable
    assert raised.value.id in ("FL-2005", "FL-2011")


class Strange:
    """A client of DynamoDB whose every answer is the same."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def __getattr__(self, method: str) -> Callable[..., object]:
        return lambda **_: self._answer


KEY = ShardKey("events", 1, "shardId-000000000000")
ASKED: dict[str, Callable[[DynamoLedger], object]] = {
    "read": lambda ledger: ledger.read(KEY),
    "rows": lambda ledger: ledger.rows(KEY.incarnation),
    "take": lambda ledger: ledger.take(KEY, Fence(), "us", TrimHorizon()),
    "run": DynamoLedger.current_run,
    "beat": lambda ledger: ledger.beat("run"),
    "standby": DynamoLedger.standby,
    "mark": lambda ledger: ledger.mark("events"),
    "streams": DynamoLedger.begun_streams,
    "consumers": DynamoLedger.consumers,
    "check": DynamoLedger.check,
}
ANSWERS = [
    {"Item": {"shard": 7}, "Items": [{"stream": {"S": "x"}}], "Attributes": {}, "Table": {}},
    {"Item": {"shard": {"S": "x"}, "run_id": {"S": "x"}}, "Items": [7], "Attributes": {"run_id": {"S": "x"}}},
]


@pytest.mark.parametrize("answer", ANSWERS, ids=["empty", "cut"])
@pytest.mark.parametrize("asked", ASKED)
def test_so_it_is_of_the_ledgers_table(asked: str, answer: dict[str, object]) -> None:
    with pytest.raises(LedgerUnavailable, match="can't be read"):
        ASKED[asked](DynamoLedger(Strange(answer), "ledger"))  # type: ignore[arg-type] # it answers whatever is called
