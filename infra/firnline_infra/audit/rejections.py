"""Reasons why the table rejected rows: by the server's code and the column that it names, with the records that were rejected.

An error row says which record it is of (rejected.py); its metadata says why (docs.snowflake.com,
snowpipe-streaming-error-tables). A message quotes the row's own value, so that each may be another one: reasons are grouped
without it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LONGEST_MESSAGE = 300
SHOWN = 5  # records of each reason, in each shard


class Reason(NamedTuple):
    code: str
    column: str
    """Empty where the server names none: the whole row can't be read."""


class Rejection(NamedTuple):
    """A rejection as an error row describes it beside the row itself; empty where it does not say it."""

    code: str = ""
    column: str = ""
    message: str = ""
    channel: str = ""

    @property
    def reason(self) -> Reason:
        return Reason(self.code, self.column)

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Rejection":
        """`metadata`: the error row's own, which need not have every part."""
        details = metadata.get("details")
        channel = details.get("channel_name") if isinstance(details, dict) else None
        code, column, message = (metadata.get(f"error_{name}") for name in ("code", "source", "message"))
        return cls(_text(code), _text(column), _text(message)[:LONGEST_MESSAGE], _text(channel))


class RejectedPlace(NamedTuple):
    shard_id: str
    position: str
    message: str


@dataclass(slots=True)
class Rejected:
    """The rows of one reason."""

    rows: int = 0
    first: list[RejectedPlace] = field(default_factory=list)
    """The first few of each shard."""


@dataclass(slots=True)
class Rejections:
    """Rejections of a shard's records, or all shards', by reason."""

    by_reason: dict[Reason, Rejected] = field(default_factory=dict)

    def add(self, rejection: Rejection, shard_id: str, position: str) -> None:
        found = self.by_reason.setdefault(rejection.reason, Rejected())
        found.rows += 1
        if len(found.first) < SHOWN:
            found.first.append(RejectedPlace(shard_id, position, rejection.message))

    @classmethod
    def together(cls, shards: Iterable["Rejections"]) -> "Rejections":
        """The commonest reason first."""
        both: dict[Reason, Rejected] = {}
        for each in shards:
            for reason, rejected in each.by_reason.items():
                found = both.setdefault(reason, Rejected())
                found.rows += rejected.rows
                found.first += rejected.first
        return cls(dict(sorted(both.items(), key=lambda item: (-item[1].rows, item[0]))))

    def as_document(self) -> list[dict[str, Any]]:
        return [
            {
                **reason._asdict(),
                "rows": rejected.rows,
                "first": [
                    {"shard": each.shard_id, "position": each.position, "message": each.message}
                    for each in rejected.first
                ],
            }
            for reason, rejected in self.by_reason.items()
        ]


def _text(value: object) -> str:
    return "" if value is None else str(value)
