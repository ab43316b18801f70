"""hoist: the whole record under one key."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from firnline_ingest.config.transform import KeyName, Transform

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document


class HoistTransform(Transform):
    """Puts the whole record under one key, whatever kind of JSON it is: `{"RECORD_CONTENT": …}`."""

    order = 10
    makes_keys = True
    takes_keys = True

    type: Literal["hoist"]
    """The whole record under one key."""
    field: KeyName
    """The key; it is not a path."""

    @property
    def keys_of_every_record(self) -> Sequence[str]:
        return (self.field,)

    def compiled(self) -> "Apply":
        def apply(document: "Document", _: "Origin") -> None:
            document.become({self.field: document.root[0]})

        return apply
