"""Incidents are merged and bounded, and nothing that they say of positions, times and counts is lost by that."""

from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import (
    LONGEST_DETAIL,
    MOST_INCIDENTS,
    OLDER,
    Incident,
    IncidentKind,
    Loss,
    with_incident,
)
from firnline_ingest.ledger.item import from_item, to_item
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Position, ShardKey

NEW = ShardRow(key=ShardKey("events", 1_700_000_000_000, "shardId-000000000000"), start=TrimHorizon())
LARGEST_ITEM = 400_000


def lost(first: int, at_ms: int, after: int = 1) -> Incident:
    detail = f"records after {after} and before {first} left retention unread"
    return Incident(IncidentKind.RETENTION_LOSS, at_ms, detail, Position(first), after=Position(after))


def test_a_loss_that_every_restart_finds_again_is_one_incident_with_its_first_and_last_time() -> None:
    row = NEW
    for restart in range(2000):
        row = row.with_incident(lost(first=10 + restart, at_ms=1000 + restart))
    (incident,) = row.incidents
    assert (incident.count, incident.first_ms, incident.last_ms) == (2000, 1000, 2999)
    assert incident.through == Position(2009)
    assert "before 2009" in incident.detail


def test_two_losses_are_two_incidents() -> None:
    row = NEW.with_incident(lost(10, 1)).with_incident(lost(30, 2, after=20))
    assert [incident.after for incident in row.incidents] == [Position(1), Position(20)]


def test_what_happens_again_comes_last() -> None:
    row = NEW
    for incident in (lost(10, 1), lost(30, 2, after=20), lost(12, 3)):
        row = row.with_incident(incident)
    assert [(incident.after, incident.count) for incident in row.incidents] == [(Position(20), 1), (Position(1), 2)]


def test_the_oldest_of_many_are_summed_up() -> None:
    row = NEW
    for n in range(1, MOST_INCIDENTS + 4):
        loss = Loss(from_ms=n, to_ms=n * 10, records=5, bytes=None if n == 1 else 100)
        row = row.with_incident(
            Incident(IncidentKind.RETENTION_LOSS, n, f"loss {n}", Position(n), after=Position(n), loss=loss)
        )
    summed, *recent = row.incidents
    assert summed == Incident(
        IncidentKind.RETENTION_LOSS, 1, OLDER, Position(3), loss=Loss(1, 30, 15, 200), count=3, last_ms=3
    )
    assert [incident.detail for incident in recent] == [f"loss {n}" for n in range(4, MOST_INCIDENTS + 4)]


def test_an_acceptance_counts_however_many_incidents_come_after_it() -> None:
    row = NEW.with_incident(Incident(IncidentKind.ACCEPTED_ERRORS, 1, "accepted", Position(7)))
    for n in range(1, 100):
        row = row.with_incident(lost(n * 10, n, after=n))
    assert row.accepted_errors_through("EVENTS") == Position(7)


INCIDENTS = st.builds(
    Incident,
    kind=st.sampled_from(IncidentKind),
    first_ms=st.integers(1, 10**13),
    detail=st.text(max_size=2 * LONGEST_DETAIL),
    through=st.none() | st.builds(Position, st.integers(1, 10**128)),
    after=st.none() | st.builds(Position, st.integers(1, 10**128)),
    loss=st.none() | st.builds(Loss, *[st.none() | st.integers(1, 10**15)] * 4),
)


@given(st.lists(INCIDENTS, max_size=120))
def test_whatever_happens_the_row_stays_small_and_every_incident_is_counted(incidents: list[Incident]) -> None:
    row = NEW
    for incident in incidents:
        row = row.with_incident(incident)
    assert sum(incident.count for incident in row.incidents) == len(incidents)
    assert len(row.incidents) <= MOST_INCIDENTS + len(IncidentKind)
    assert from_item(to_item(row)) == row
    for kind in IncidentKind:
        of_kind = [incident for incident in incidents if incident.kind is kind]
        kept = [incident for incident in row.incidents if incident.kind is kind]
        assert min((i.first_ms for i in kept), default=0) == min((i.first_ms for i in of_kind), default=0)
        assert max((i.last_ms for i in kept), default=0) == max((i.first_ms for i in of_kind), default=0)
        furthest = max((i.through for i in of_kind if i.through), default=None)
        assert max((i.through for i in kept if i.through), default=None) == furthest


def test_the_largest_row_that_incidents_can_make_is_far_from_what_an_item_may_have() -> None:
    incidents: tuple[Incident, ...] = ()
    long = Position(10**128)
    for kind in IncidentKind:
        for n in range(30):
            detail = f"{n}" + "\N{SNOWFLAKE}" * LONGEST_DETAIL
            incidents = with_incident(incidents, Incident(kind, 10**13, detail, long, loss=Loss(*[10**15] * 4)))
    size = sum(
        len(str(value).encode())
        for value in map(to_item, [ShardRow(key=NEW.key, start=NEW.start, incidents=incidents)])
    )
    assert size < LARGEST_ITEM / 4
