"""Every client of the engine in a process of its own, with the configuration alone: what test_proxy.py starts behind a proxy.

Reads `{"config": …, "target": …}` from standard input, moves one row, and prints what it saw.
"""

import json
import os
import sys
import time
from typing import Any
from urllib.request import proxy_bypass

import msgspec

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.load import parse_config
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.proxy import use_proxy
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.spark.machine import check_proxy
from firnline_ingest.values import Position, TargetTable

METADATA = ("169.254.169.254", "169.254.170.2", "169.254.170.23")
SOON_S = 30.0


def main(question: dict[str, Any]) -> dict[str, object]:
    config = parse_config(json.dumps(question["config"]).encode(), "the question")
    use_proxy(config)
    seen: dict[str, object] = {
        "proxy": check_proxy(config),
        "metadata": [bool(proxy_bypass(host)) for host in METADATA],
        "run": DynamoLedger(dynamodb_client(config.aws), config.ledger.table).current_run(),
    }
    client = kinesis_client(config.aws)
    (shard,) = read_lineage(client, "orders").shards
    iterator = client.get_shard_iterator(StreamName="orders", ShardId=shard, ShardIteratorType="TRIM_HORIZON")[
        "ShardIterator"
    ]
    read: list[Any] = []
    for _ in range(3):  # botocore's own, and further ones: what direct.py would send past the proxy
        page = client.get_records(ShardIterator=iterator, Limit=10)
        iterator, read = page["NextShardIterator"], read + page["Records"]
    seen["records"] = [bytes(record.Data).decode() for record in read]
    session = SqlSession(config)
    seen["answer"] = next(iter(session.rows("SELECT 1")[0].values()))
    session.close()
    channels = SdkChannels(config)
    channel, _ = channels.open(TargetTable(**question["target"]), "orders-1")
    channel.append([msgspec.Raw(b'{"ID": 1}')], start=Position(1).token, end=Position(1).token)
    give_up_s = time.monotonic() + SOON_S
    while channel.state().committed != Position(1) and time.monotonic() < give_up_s:
        time.sleep(0.1)
    seen["committed"] = channel.state().committed == Position(1)
    return seen


if __name__ == "__main__":
    try:
        print(json.dumps(main(json.load(sys.stdin))), flush=True)
    except FirnlineError as error:
        print(json.dumps({"problem": error.id, "what": error.what, "next": error.next_step}), flush=True)
    os._exit(0)  # the SDK's threads are not waited for
