"""Tests of what the ledger has on record of lost records, in words."""

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.losses import described, losses
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import ShardKey

HOUR_MS = 3_600_000


def test_a_loss_is_told_with_its_shard_its_times_and_its_size() -> None:
    loss = Loss(HOUR_MS, 2 * HOUR_MS, 1200, 34_000)
    incidents = (
        Incident(IncidentKind.RETENTION_LOSS, 9 * HOUR_MS, "records left", loss=loss, count=2, last_ms=10 * HOUR_MS),
        Incident(IncidentKind.RESUMED, 9 * HOUR_MS, "resumed"),
    )
    row = ShardRow(key=ShardKey("events", 1, "shardId-000000000003"), start=TrimHorizon(), incidents=incidents)
    (told,) = losses([row])
    assert told == (
        "shardId-000000000003: records left; what arrived from 1970-01-01T01:00:00Z to 1970-01-01T02:00:00Z, about 1,200 "
        "records and 34,000 bytes if there were as many a second as on the page that follows (seen 1970-01-01T09:00:00Z, "
        "and again until 1970-01-01T10:00:00Z)"
    )


def test_what_is_not_known_of_a_loss_is_said_so() -> None:
    assert described(None) == "how much is not known"
    assert described(Loss(to_ms=HOUR_MS)) == (
        "what arrived from an unknown time to 1970-01-01T01:00:00Z, how much is not known"
    )
