"""Which server of the environment a fault is for."""

from typing import TYPE_CHECKING

from firnline_ingest.errors import nearest
from firnline_local.endpoints import AWS_SERVICES, Server

if TYPE_CHECKING:
    from collections.abc import Collection

SERVERS: tuple[Server, ...] = ("kinesis", "aws", "snowflake")
SERVER_OF: dict[str, Server] = {"kinesis": "kinesis", "snowflake": "snowflake"}
SERVER_OF.update(dict.fromkeys(AWS_SERVICES, "aws"))


def servers_of(endpoint: str) -> "Collection[Server]":
    """All of them for a pattern over services, such as *:*. Raises InvalidFault for a service that is not embedded."""
    from firnline_local.faults import InvalidFault

    service, _, operation = endpoint.partition(":")
    if any(wild in service for wild in "*?["):
        return SERVERS
    if service not in SERVER_OF or not operation:
        near = nearest(service, SERVER_OF)
        hint = f"did you mean {near}:{operation or '*'}?" if near else f"services: {', '.join(SERVER_OF)}"
        raise InvalidFault(f"{endpoint!r} is not service:Operation of an embedded service; {hint}")
    return (SERVER_OF[service],)
