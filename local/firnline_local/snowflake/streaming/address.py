"""What a request of the streaming API is about, read from its method and path.

Paths are read as they were sent: names are percent-encoded one by one, so an encoded slash belongs to a name.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

PATH = re.compile(
    r"/v2/streaming/(?P<data>data/)?databases/(?P<database>[^/]+)/schemas/(?P<schema>[^/]+)"
    r"/(?P<kind>pipes|tables)/(?P<target>[^/:]+)"
    r"(?::(?P<question>pipe-info|bulk-channel-status)|(?:/channels/(?P<channel>[^/]+))?(?:/(?P<payload>rows|filebuffer))?)"
)
ELASTIC = "ELASTIC"


class Operation(StrEnum):
    """Named as faults name them, after `snowflake:`."""

    OPEN = "open"
    APPEND = "append"
    STATUS = "status"
    DROP = "drop"
    PIPE_INFO = "pipe-info"
    FILE_FRAGMENTS = "filebuffer"
    ELASTIC_APPEND = "elastic-append"


@dataclass(frozen=True)
class Address:
    """The parts of a path, decoded; a name is still spelled as the client spelled it."""

    operation: Operation
    database: str
    schema: str
    target: str
    """A pipe; for an elastic append it may be a table."""
    channel: str


def read_address(method: str, raw_path: str) -> Address | None:
    """None where the API has nothing at this path."""
    match = PATH.fullmatch(raw_path)
    operation = _operation(method, match) if match else None
    if match is None or operation is None:
        return None
    return Address(operation, *(unquote(match[part] or "") for part in ("database", "schema", "target", "channel")))


def _operation(method: str, match: re.Match[str]) -> Operation | None:
    if match["channel"] == ELASTIC or match["kind"] == "tables":
        return Operation.ELASTIC_APPEND if match["payload"] == "rows" else None
    match (method, bool(match["data"]), bool(match["channel"]), match["question"], match["payload"]):
        case ("PUT", False, True, None, None):
            return Operation.OPEN
        case ("DELETE", False, True, None, None):
            return Operation.DROP
        case ("POST", True, True, None, "rows"):
            return Operation.APPEND
        case ("POST", True, True, None, "filebuffer"):
            return Operation.FILE_FRAGMENTS
        case ("POST", False, False, "bulk-channel-status", None):
            return Operation.STATUS
        case ("POST", False, False, "pipe-info", None):
            return Operation.PIPE_INFO
    return None
