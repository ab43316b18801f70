"""Sends each record to one of its pipeline's tables (config/routes.py). A function of the record alone."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from firnline_ingest.config.routes import Routes
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable


class Router:
    """Routes one shard's records; not thread-safe."""

    def __init__(self, routes: Routes) -> None:
        looked_at = msgspec.defstruct(
            "LookedAt", [("value", msgspec.Raw, msgspec.Raw(b""))], rename={"value": routes.key}
        )
        self._decode: Callable[[bytes], Any] = msgspec.json.Decoder(looked_at).decode
        self._key = routes.key
        self._routes = routes
        self._known: dict[bytes, str] = {}
        self.table = ""
        """Of the record whose rows were made last; empty for the pipeline's own."""

    def follow(self, documents: Iterable[bytes]) -> Iterator[bytes]:
        """The rows of one record. Raises Unusable where they go nowhere, or not all to one table."""
        for number, document in enumerate(documents):
            table = self._table_of(document)
            if number and table != self.table:
                raise Unusable(Rejection(RejectReason.NO_ROUTE, "its rows would go to different tables."))
            self.table = table
            yield document

    def _table_of(self, document: bytes) -> str:
        try:
            written = bytes(self._decode(document).value)
        except msgspec.ValidationError:
            written = b""  # no object: a pipeline may take any JSON into one column
        table = self._known.get(written)
        if table is None:
            table = self._looked_up(written)
            if table is None:
                raise Unusable(Rejection(RejectReason.NO_ROUTE, self._why(written)))
            if len(self._known) < len(self._routes.tables):
                self._known[written] = table
        return table

    def _looked_up(self, written: bytes) -> str | None:
        is_text = written[:1] == b'"'
        return self._routes.table_of(msgspec.json.decode(written, type=str) if is_text else None)

    def _why(self, written: bytes) -> str:
        """The reason without the value, which may be anything."""
        if not written:
            return f"it has no key {self._key!r}, by which it would be routed."
        kind = "value that no route names" if written[:1] == b'"' else "value that is not text"
        return f"its key {self._key!r} has a {kind}."
