"""Liberties of the service: answers that it may give and mostly does not. A test takes one, and a client must stand it.

All are off at first. What is not an answer of the service at all (a body that is not a page, an error) is a fault
(firnline_local.faults): `Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body="{}", times=1)`.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Liberties:
    """The liberties of one account; they may be changed at any time, and hold from the next call on."""

    empty_page_every: int | None = None
    """Each n-th page of a shard is empty although records are waiting."""
    late_end: bool = False
    """A closed shard's null iterator comes one call after its last records, which come with MillisBehindLatest 0."""
    childless_ends: int = 0
    """So many more null iterators of closed shards come without ChildShards; each one that came counts it down."""
    ends_of_before_2020: bool = False
    """A closed shard ends on an empty page with neither an iterator nor ChildShards, behind by the time since its closing: so
    Kinesis did before it named children, and so kinesalite does. Of GetRecords alone."""
    hasty_tip: bool = False
    """A page that its Limit cut says MillisBehindLatest 0, as where the records behind it arrived in the same millisecond."""
    refuses_cbor: bool = False
    """A request in CBOR is refused, as by servers that know AWS JSON alone."""
