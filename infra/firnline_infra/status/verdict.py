"""The verdict of a status in one sentence, for the page and for the overview of several environments. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firnline_ingest.errors import url_of

if TYPE_CHECKING:
    from firnline_infra.status.model import EnvironmentStatus, ShardStatus

GOOD, WAITING, BAD = "good", "waiting", "bad"


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: str
    """`good`, `waiting` for an engine that starts, or `bad`."""
    title: str
    text: str
    ids: tuple[str, ...] = ()
    """Of the errors that the text does not explain."""

    def as_document(self) -> dict[str, Any]:
        ids = [{"id": each, "url": url_of(each)} for each in self.ids]
        return {"kind": self.kind, "title": self.title, "text": self.text, "ids": ids}


def verdict_of(found: "EnvironmentStatus") -> Verdict:
    """Returns what a person has to know first; a status that ends with 0 is good."""
    return next(_verdicts(found))


def _verdicts(found: "EnvironmentStatus") -> Iterator[Verdict]:
    unread = found.unread
    how = f"{_shards(len(unread))} {'is' if len(unread) == 1 else 'are'} not read"
    if not found.holder:
        waits = "Records wait in the stream; nothing is lost before the time in Data loss in."
        yield Verdict(BAD, "No engine is running", waits if found.shards else "Nothing was ever read.")
    if not found.is_beating:
        what = "It was killed, or is frozen; another one takes its place ten seconds after it starts."
        yield Verdict(BAD, "The engine has no heartbeat", what)
    if not found.is_own_report and unread:
        yield Verdict(WAITING, "The engine is starting", f"{how} yet, and none of its epochs has ended.")
    if unread:
        yield _why(BAD, how, found, unread)
    if found.is_troubled:
        yield _why(BAD, "Something keeps the engine from going on", found, unread)
    if found.waiting:
        text = "Executors or cores are too few for them."
        yield Verdict(BAD, f"{_shards(found.waiting)} wait for room", text, ("FL-1211",))
    if not found.shards:
        yield Verdict(WAITING, "The engine is starting", "No shard has been opened yet.")
    if views := sum(not each.is_good for each in found.views):
        title = (
            f"{views} view{'' if views == 1 else 's'} of Redshift {'is' if views == 1 else 'are'} blocked or missing"
        )
        text = "Every shard is read into Snowflake. The view has what is wrong with it, and the next step."
        yield Verdict(BAD, title, text)
    shards = [each for each in found.shards if each.should_be_read]
    lag = _lag(found.worst_lag_s or 0.0)
    yield Verdict(GOOD, "Every shard is read", f"{_shards(len(shards))}, committed within {lag} of now.")


def _why(kind: str, title: str, found: "EnvironmentStatus", unread: Sequence["ShardStatus"]) -> Verdict:
    if found.is_own_report and found.causes:
        count = len(found.causes)
        said = f"{count} problem{'' if count == 1 else 's'}, each with its next step. Records wait in the stream."
        return Verdict(kind, title, said)
    ids = tuple(dict.fromkeys(each.problem for each in unread if each.problem))
    return Verdict(
        kind,
        title,
        "Records wait in the stream. What it is, and what helps:" if ids else "The engine takes them over.",
        ids,
    )


def _shards(count: int) -> str:
    return f"{count:,} shard{'' if count == 1 else 's'}"


def _lag(seconds: float) -> str:
    """The duration as the page writes it: tenths below ten seconds."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 or seconds == int(seconds) else f"{seconds:.1f} s"
