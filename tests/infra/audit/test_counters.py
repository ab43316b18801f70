from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from firnline_infra.audit.findings import Counts, ProblemKind, ShardFindings
from firnline_infra.audit.internal_state import CountedChannel, counters_of, not_stored, report_not_stored
from firnline_infra.audit.report import AuditReport, PipelineReport
from firnline_infra.audit.report_text import report_text
from firnline_infra.audit.window import AuditWindow
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import open_objects
from firnline_ingest.dead_letters.journal import Batch, BatchEnd, BatchHeader, BatchLetter, Journal, Outcome
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger import provision
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ChannelEntry, Proven, ShardRow
from firnline_ingest.values import Position, ShardKey, TargetTable

from .configured import config_of, pipeline

MADE, EARLIER = "2026-01-02T00:00:00.000+00:00", "2026-01-01T00:00:00.000+00:00"
TABLE = ("DB", "RAW", "ORDERS")
KEY = ShardKey("orders", 7, "shardId-000000000000")
CHANNEL, REPLAY = f"app~orders~7~{KEY.shard_id}", f"app~orders~7~{KEY.shard_id}~REPLAY"


def target(table: str = "ORDERS", made: str = MADE) -> TargetTable:
    return TargetTable("DB", "RAW", table, made, f"{table}-STREAMING")


def channel(rejected: int = 3, **changes: Any) -> CountedChannel:
    return CountedChannel(
        **{"shard_id": KEY.shard_id, "channel": CHANNEL, "target": target(), "rejected": rejected, **changes}
    )


@pytest.mark.parametrize(("kept", "lacking"), [(0, 3), (2, 1), (3, 0), (9, 0)])
def test_what_was_rejected_has_to_be_in_the_error_table(kept: int, lacking: int) -> None:
    """An error table that is read after the counters may only have more."""
    found = list(not_stored([channel()], {CHANNEL: kept, "another's": 100}, TABLE, MADE))
    assert found == ([(channel(), lacking)] if lacking else [])


def test_other_tables_and_earlier_ones_of_the_name_say_nothing_of_this_one() -> None:
    counted = [channel(target=target("OTHER")), channel(target=target(made=EARLIER))]
    assert list(not_stored(counted, {}, TABLE, MADE)) == []
    of_unknown_age = channel(target=target(made=""))
    assert list(not_stored([of_unknown_age], {}, TABLE, MADE)) == [(of_unknown_age, 3)]


def test_what_is_unkept_refutes_and_says_up_to_where_and_what_is_missing() -> None:
    findings = ShardFindings(KEY.shard_id, Counts(records=10, rows=8, missing=2))
    report_not_stored(findings, channel(through=Position(4711, 2)), 3)
    report = PipelineReport(
        stream="orders",
        tables=("DB.RAW.ORDERS",),
        window=AuditWindow(None, 1_700_000_000_999),
        compares_contents=False,
        shards=[findings],
        looks_at_counters=True,
    )
    assert report.found == {ProblemKind.MISSING: 2, ProblemKind.NOT_STORED: 3}
    text = report_text(AuditReport([report]))
    assert "not ingested  missing  not stored\n" in text
    assert (
        f"  {KEY.shard_id} 4711.2: of 3 rows that channel {CHANNEL} had rejected up to 4711.2, the error table lacks 3; "
        "2 records of the shard are missing" in text
    )
    assert text.endswith("NOT PROVEN, of 10 records: 2 missing, 3 not stored.")


class Ledger:
    def mark(self, stream: str) -> StreamMark | None:
        return StreamMark(KEY.incarnation) if stream == KEY.stream else None

    def rows(self, incarnation: str) -> dict[str, ShardRow]:
        assert incarnation == KEY.incarnation
        entry = ChannelEntry(target(), Proven(Position(9), 90, 3))
        earlier = ChannelEntry(target(made=EARLIER), Proven(Position(5), 50, 1))
        row = ShardRow(key=KEY, start=TrimHorizon(), channels=MappingProxyType({CHANNEL: entry, "earlier": earlier}))
        return {KEY.shard_id: row}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineConfig:
    monkeypatch.setattr(provision, "existing_ledger", lambda _config: Ledger())
    return config_of(pipeline(table="ORDERS"), dead_letters={"folder": str(tmp_path)})


def test_the_engines_channels_are_told_by_the_ledger(config: EngineConfig) -> None:
    engines, earlier = counters_of(config)("orders")
    assert engines == channel(through=Position(9))
    assert (earlier.rejected, earlier.target.table_created_on) == (1, EARLIER)
    assert counters_of(config)("never read") == []


def batch(number: int) -> Batch:
    header = BatchHeader(
        stream=KEY.stream,
        stream_created_ms=KEY.stream_created_ms,
        shard_id=KEY.shard_id,
        number=number,
        target=target(),
        channel=REPLAY,
        channel_created_ms=1,
        before=None,
        rows_inserted=0,
        rows_error=0,
        letters=(BatchLetter(Position(number).token, "row", 1),),
    )
    return Batch(header, [b"{}"])


def replayed(config: EngineConfig, *ends: BatchEnd | None) -> CountedChannel:
    """Returns what is counted of a replay's channel whose batches end so."""
    journal = Journal(open_objects(config), "app", KEY)
    for number, end in enumerate(ends, start=1):
        journal.begin(batch(number))
        if end:
            journal.finish(batch(number), end)
    (found,) = (each for each in counters_of(config)("orders") if each.channel == REPLAY)
    return found


def test_a_replays_channel_is_told_by_its_last_proven_batch(config: EngineConfig) -> None:
    proven = [BatchEnd(outcome=Outcome.PROVEN, rejected=1, counters=(0, all_)) for all_ in (1, 2)]
    found = replayed(config, *proven, BatchEnd(outcome=Outcome.ACCEPTED), None)
    assert (found.rejected, found.through) == (2, None)


def test_rows_of_letters_that_stayed_letters_are_no_lost_ones(config: EngineConfig) -> None:
    """A table that keeps nothing refused them, and the replay gave them back."""
    ends = [
        (Outcome.VOID, 1, (0, 1)),
        (Outcome.PROVEN, 0, (1, 1)),
        (Outcome.VOID, 1, (1, 2)),
        (Outcome.PROVEN, 1, (1, 3)),
    ]
    found = replayed(config, *(BatchEnd(outcome=of, rejected=rejected, counters=all_) for of, rejected, all_ in ends))
    assert found.rejected == 1
