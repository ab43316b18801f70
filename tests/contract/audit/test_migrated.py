"""Tests of what the real engine makes of a stream that another consumer left in the middle, audited by that consumer's
own places.
"""

import uuid
from collections.abc import Iterator

import pytest

from firnline_infra.audit.findings import Counts, ProblemKind
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.migration.migrate import MigrationWriter, apply, planned, watch
from firnline_ingest.migration.tables import MigrationJournal, Source

from .conftest import BAD, GOOD, Lane, records_of

pytestmark = pytest.mark.contract
TAKEN = 5


def migrate(lane: Lane) -> None:
    """From leases of which the first says that so many records were taken in, and the others nothing."""
    client = lane.environment.client("dynamodb")
    table = f"leases-{uuid.uuid4().hex[:8]}"
    client.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "leaseKey", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "leaseKey", "KeyType": "HASH"}],
    )
    (first, records), *others = sorted(records_of(lane).items())
    places = {first: records[TAKEN - 1].SequenceNumber, **{shard: "TRIM_HORIZON" for shard, _ in others}}
    for shard, place in places.items():
        lease = {"leaseKey": {"S": shard}, "leaseCounter": {"N": "7"}, "checkpoint": {"S": place}}
        client.put_item(TableName=table, Item=lease)
    config, lineage = lane.config(), lane.lineage
    ledger = open_ledger(config)
    journal = MigrationJournal(client, f"{config.ledger.table}_migration")
    journal.open(create=True)
    watched = watch(Source(client, table), 0, lambda _: None)
    writer = MigrationWriter(ledger, journal, RunLease(ledger, lane.table, sleep=lambda _: None))
    apply(planned(watched, lineage, None), watched, lineage, writer)


@pytest.fixture
def migrated_lane(engines_lane: Lane) -> Iterator[Lane]:
    """The environment is everybody's, and its doctor tells of a migration that is under way."""
    migrate(engines_lane)
    yield engines_lane
    ledger = engines_lane.config().ledger.table
    engines_lane.environment.client("dynamodb").delete_table(TableName=f"{ledger}_migration")


def test_before_the_place_nothing_is_ours_behind_it_everything_once(migrated_lane: Lane) -> None:
    assert {receipt["state"] for receipt in migrated_lane.run_engine()} == {"done"}
    report = migrated_lane.audit(migrated=True)
    assert report.is_proven, report.shards
    assert report.totals.before_start == TAKEN
    assert report.totals.records == GOOD + BAD - TAKEN
    assert migrated_lane.audit().found == {ProblemKind.MISSING: TAKEN}

    (number,) = (row[0] for row in migrated_lane.sql(f"SELECT MIN(ID) FROM {migrated_lane.name}"))
    assert report.totals != Counts(records=GOOD + BAD)
    migrated_lane.copy(number, migrated_lane.metadata_of(number) | taken_record(migrated_lane))
    assert migrated_lane.audit(content=False, migrated=True).found == {ProblemKind.DOUBLED: 1}


def taken_record(lane: Lane) -> dict[str, str]:
    """The place of one that the other consumer took in."""
    shard, records = min(records_of(lane).items())
    return {"shardId": shard, "sequenceNumber": records[0].SequenceNumber}
