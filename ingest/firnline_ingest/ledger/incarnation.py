"""The incarnation of a stream that the application reads: one that was deleted and recreated is another stream.

Rows and channels of the old one say nothing about it, and what the old one held unread is lost, so going on is a person's
decision. A small item of the ledger, one a stream, names the incarnation; the planner settles it before it plans.
"""

from collections.abc import Mapping
from dataclasses import replace

from firnline_ingest.kinesis.errors import StreamReplaced
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import PlanLedger
from firnline_ingest.ledger.incident import Incident, IncidentKind, with_incident
from firnline_ingest.ledger.mark import StreamMark


def settle(
    ledger: PlanLedger, stream: str, incarnation: str, earlier: Mapping[str, bool], now_ms: int, *, since_ms: int = 0
) -> StreamMark:
    """The mark of the incarnation that is there now, made where the stream is new. `earlier`: those of Spark's offset,
    and whether it knows that something of them was read. `since_ms`: since when what the stream holds is the application's; from
    now on by default.

    Raises StreamReplaced where the application has read another one, and no person has decided to begin anew.
    """
    mark = ledger.mark(stream)
    if mark is None:
        first = next((each for each in earlier if each != incarnation), incarnation)
        mark = ledger.set_mark(stream, StreamMark(first, since_ms=since_ms or now_ms), None)
    if mark.incarnation == incarnation:
        return mark
    if not ledger.rows(mark.incarnation) and not earlier.get(mark.incarnation):
        return ledger.set_mark(stream, replace(mark, incarnation=incarnation, since_ms=since_ms or now_ms), mark)
    detail = f"{mark.incarnation} was deleted, and {incarnation} made under its name"
    if all(each.detail != detail for each in mark.incidents):
        incident = Incident(IncidentKind.STREAM_REPLACED, now_ms, detail)
        ledger.set_mark(stream, replace(mark, incidents=with_incident(mark.incidents, incident)), mark)
    raise StreamReplaced(stream)


def is_replaced(ledger: PlanLedger, stream: str, incarnation: str) -> bool:
    """Returns whether the application has read another incarnation than the one that is there now."""
    mark = ledger.mark(stream)
    return mark is not None and mark.incarnation != incarnation


def begun_anew(mark: StreamMark, incarnation: str, now_ms: int) -> StreamMark:
    """A person's decision: the incarnation that is there now is read, from its oldest record."""
    detail = f"{incarnation} is begun at its horizon, instead of {mark.incarnation}"
    incidents = with_incident(mark.incidents, Incident(IncidentKind.RESUMED, now_ms, detail))
    return StreamMark(incarnation, TrimHorizon.text, incidents, since_ms=now_ms)
