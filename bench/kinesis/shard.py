"""One canned shard: record n is always the same record, arrived at the rate that was asked for, and n has no end."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack

from firnline_local.kinesis.cbor import head

FIRST_SEQUENCE_NUMBER = 49_590_338_271_490_256_608 * 10**36  # 56 digits, as the service's
SHARD_STRIDE = 10**30
MOST_BYTES = 10 * 1024 * 1024
"""Of an answer of GetRecords, or one record."""


def _text(text: str) -> bytes:
    return head(3, len(text)) + text.encode()


HEAD_IN_CBOR = head(5, 4) + _text("ApproximateArrivalTimestamp") + b"\xc1\x1b"
DATA, KEY, NUMBER = _text("Data"), _text("PartitionKey"), _text("SequenceNumber")


@dataclass(frozen=True, kw_only=True)
class CannedShard:
    index: int
    payloads: Sequence[bytes]
    """In base64; they come round and round."""
    payloads_in_cbor: Sequence[bytes]
    first_arrival_s: float
    records_per_s: float
    is_trickle: bool
    """True if a record can be read only after it arrived; otherwise the shard is as full as a reader likes."""

    @classmethod
    def of(cls, payloads: Sequence[bytes], **settings: float) -> "CannedShard":
        in_cbor = [head(2, len(payload)) + payload for payload in payloads]
        return cls(payloads=[b64encode(payload) for payload in payloads], payloads_in_cbor=in_cbor, **settings)  # type: ignore[arg-type]

    @property
    def id(self) -> str:
        return f"shardId-{self.index:012d}"

    def sequence_number(self, record: int) -> int:
        return FIRST_SEQUENCE_NUMBER + self.index * SHARD_STRIDE + record

    def arrival_s(self, record: int) -> float:
        return self.first_arrival_s + record / self.records_per_s

    @property
    def behind_ms(self) -> int:
        return 0 if self.is_trickle else 3_600_000

    def page(self, first: int, limit: int, now_s: float) -> tuple[bytes, int]:
        """The body of a GetRecords answer that begins with record `first`, and how many records are in it."""
        records, after = self.records(first, limit, now_s)
        iterator = f"{self.index}:{after}".encode()
        head = b'{"MillisBehindLatest":%d,"NextShardIterator":"%b","Records":[' % (self.behind_ms, iterator)
        return head + records + b"]}", after - first

    def page_in_cbor(self, first: int, limit: int, now_s: float) -> tuple[bytes, int]:
        """The same in CBOR."""
        after = self._after(first, limit, now_s)
        records = [self._record_in_cbor(record) for record in range(first, after)]
        fields = [_text("MillisBehindLatest"), head(0, self.behind_ms), _text("NextShardIterator")]
        fields += [_text(f"{self.index}:{after}"), _text("Records"), head(4, len(records))]
        return head(5, 3) + b"".join(fields) + b"".join(records), after - first

    def records(self, first: int, limit: int, now_s: float) -> tuple[bytes, int]:
        """Returns the records that can be read from record `first` on, as members of a list; and the number of the one behind
        them."""
        after = self._after(first, limit, now_s)
        return b",".join(map(self._record, range(first, after))), after

    def _after(self, first: int, limit: int, now_s: float) -> int:
        limit = min(limit, max(1, MOST_BYTES // len(self.payloads_in_cbor[0])))
        if not self.is_trickle:
            return first + limit
        arrived = int((now_s - self.first_arrival_s) * self.records_per_s) + 1
        return max(first, min(first + limit, arrived))

    def _record_in_cbor(self, record: int) -> bytes:
        return b"".join(
            (
                HEAD_IN_CBOR,
                pack(">Q", round(self.arrival_s(record) * 1000)),
                DATA,
                self.payloads_in_cbor[(record + self.index) % len(self.payloads)],
                KEY,
                _text(f"customer-{record * 7919 % 1_000_000:06d}"),
                NUMBER,
                _text(str(self.sequence_number(record))),
            )
        )

    def _record(self, record: int) -> bytes:
        return (
            b'{"ApproximateArrivalTimestamp":%.3f,"Data":"%b","PartitionKey":"customer-%06d","SequenceNumber":"%d"}'
            % (
                self.arrival_s(record),
                self.payloads[(record + self.index) % len(self.payloads)],
                record * 7919 % 1_000_000,
                self.sequence_number(record),
            )
        )


def located(sequence_number: int) -> tuple[int, int]:
    """Returns which shard's record it is, and which record."""
    return divmod(sequence_number - FIRST_SEQUENCE_NUMBER, SHARD_STRIDE)
