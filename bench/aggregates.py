"""Cost of taking KPL aggregates apart, from the body of a GetRecords answer to the call of append_rows.

The same payloads, once as records and once packed, in turns. The packed ones are a KPL's, of a shard that does not have all
hash keys, so that each record's hash key is looked at.
"""

import hashlib
import re
from collections.abc import Sequence
from itertools import count

from bench.figure import Figure, at_most
from bench.kinesis.service import HASH_KEYS
from bench.page import RECORDS, SHARDS, Bodies, cost, our_lap
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, Packed, pack

PART = "aggregates"
IN_ONE = 50  # records of an aggregate: about 50 KB, which is as large as the KPL makes one unless it is told to
MOST_TIMES_PLAIN = 2.0


class PackedBodies(Bodies):
    """Pages of aggregates."""

    def as_put(self, texts: Sequence[bytes]) -> tuple[Sequence[bytes], int]:
        """Each user record has a partition key of its own, which belongs into the shard that is read."""
        keys = filter(_is_of_the_first_shard, (f"customer-{number:06d}" for number in count()))
        records = [Packed(text, key) for text, key in zip(texts, keys, strict=False)]
        return [pack(records[first : first + IN_ONE]) for first in range(0, len(records), IN_ONE)], RECORDS // IN_ONE

    def finished(self, page: bytes) -> bytes:
        return re.sub(rb'"PartitionKey":"[^"]*"', b'"PartitionKey":"%b"' % KPL_PARTITION_KEY.encode(), page)


def _is_of_the_first_shard(key: str) -> bool:
    return int(hashlib.md5(key.encode(), usedforsecurity=False).hexdigest(), 16) < HASH_KEYS // SHARDS


def measure(*, runs: int, laps: int) -> list[Figure]:
    """Each run takes every page `laps` times on either side, in turn, so that a busy machine slows both."""
    plain, packed = Bodies(), PackedBodies()
    plain_lap, packed_lap = our_lap(plain), our_lap(packed)
    plain_lap(), packed_lap()
    costs = [(cost(plain_lap, laps, plain), cost(packed_lap, laps, packed)) for _ in range(runs)]
    return [
        Figure(part=PART, name="plain records", unit="CPU ms/MB", values=[one for one, _ in costs]),
        Figure(part=PART, name="the same, aggregated", unit="CPU ms/MB", values=[other for _, other in costs]),
        Figure(part=PART, name="ratio", unit="x", values=[b / a for a, b in costs], bar=at_most(MOST_TIMES_PLAIN)),
    ]
