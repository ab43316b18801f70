"""What the embedded AWS was asked for, by both of its servers, and whose policies it enforces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from firnline_local.endpoints import Endpoints, Server, control
from firnline_local.iam.authorise import Statement
from firnline_local.iam.call_log import LoggedCall

AWS_SERVERS: tuple[Server, ...] = tuple(server for server in get_args(Server) if server != "snowflake")


@dataclass(frozen=True, slots=True)
class Calls:
    """In each server's order, one server after the other."""

    calls: tuple[LoggedCall, ...]
    mark: Mapping[str, int]
    """Where to go on from."""
    dropped: int
    """How many were forgotten before anybody looked: then the rest proves nothing."""

    def accesses(self, *, access_key: str | None = None) -> frozenset[tuple[str, str]]:
        """Actions with their resources, of one caller or of all."""
        return frozenset(
            (access.action, access.resource)
            for call in self.calls
            if access_key in (None, call.access_key)
            for access in call.accesses
        )


def calls_of(endpoints: Endpoints, since: Mapping[str, int] | None = None) -> Calls:
    """Since the mark of an earlier answer, or all."""
    marks = since or {}
    answers = {server: control(endpoints, server, f"calls?since={marks.get(server, 0)}") for server in AWS_SERVERS}
    return Calls(
        calls=tuple(LoggedCall.from_json(fields) for answer in answers.values() for fields in answer["calls"]),
        mark={server: answer["next"] for server, answer in answers.items()},
        dropped=sum(answer["dropped"] for answer in answers.values()),
    )


def enforce(endpoints: Endpoints, access_key: str, *, principal: str, statements: Iterable[Statement] | None) -> None:
    """From now on calls that this key signs need these statements; None lets it do everything again."""
    given = None if statements is None else list(statements)
    for server in AWS_SERVERS:
        control(endpoints, server, "callers", {"access_key": access_key, "principal": principal, "statements": given})
