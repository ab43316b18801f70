"""A shard with records 100 to 109, and what became of them: first all right, then as a test wants it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from firnline_infra.audit.comparison import ContentCheck, ReplayedRecord, compare_shard, position_of
from firnline_infra.audit.findings import ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, ClaimStatus, RecordPlace, StreamRecord
from firnline_infra.audit.window import RetentionCutoff

KEPT_SINCE_MS = 1_700_000_000_000
NUMBERS = range(100, 110)


@dataclass
class Shard:
    id: str = "shardId-000000000000"
    kept_since_ms: int = KEPT_SINCE_MS
    rows_have_arrival: bool = True
    check: ContentCheck | None = None
    records: list[StreamRecord] = field(init=False)
    outcomes: list[AuditOutcome] = field(init=False)
    replayed: dict[int, ReplayedRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.records = [self.record(number) for number in NUMBERS]
        self.outcomes = [self.row(number) for number in NUMBERS]

    def record(self, number: int, status: ClaimStatus = ClaimStatus.CLAIMED, data: bytes = b'{"a":1}') -> StreamRecord:
        return StreamRecord(number, data, status, "key", self.kept_since_ms + number)

    def row(
        self, number: int, sub: int = 0, place: RecordPlace = RecordPlace.TABLE, *, age_ms: int | None = 0
    ) -> AuditOutcome:
        """`age_ms`: how long before the oldest record that was certainly kept it says that it arrived."""
        return AuditOutcome(number, sub, place, None if age_ms is None else self.kept_since_ms - age_ms)

    def let_stand(self, numbers: Iterable[int], status: ClaimStatus) -> None:
        wanted = set(numbers)
        self.records = [
            each._replace(status=status) if each.sequence_number in wanted else each for each in self.records
        ]

    def remove(self, *numbers: int) -> None:
        self.outcomes = [each for each in self.outcomes if each.sequence_number not in numbers]

    def compared(self, records: Iterable[StreamRecord] | None = None) -> ShardFindings:
        findings = ShardFindings(self.id)
        compare_shard(
            findings,
            self.records if records is None else records,
            sorted(self.outcomes, key=position_of),
            cutoff=RetentionCutoff(self.kept_since_ms, self.rows_have_arrival),
            check=self.check,
            replayed_into=lambda number, _: self.replayed.get(number),
        )
        return findings


@pytest.fixture
def shard() -> Shard:
    return Shard()
