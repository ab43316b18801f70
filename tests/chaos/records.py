"""Records that a schedule puts into its stream, and where each must be in the end; the payload says so."""

import json
from enum import StrEnum

SIDE = b'"side": "yes"'


class Fate(StrEnum):
    """Fate of a record in the end."""

    ROW = "row"
    ERROR_ROW = "error row"
    DEAD_LETTER = "dead letter"


def payload(fate: Fate, number: int, **more: str) -> bytes:
    """The table's column N holds numbers: text in it is an error row. What is not a JSON object never gets so far."""
    match fate:
        case Fate.ROW:
            return json.dumps({"n": number, **more}).encode()
        case Fate.ERROR_ROW:
            return json.dumps({"n": f"not a number: {number}", **more}).encode()
        case Fate.DEAD_LETTER:
            return f"not JSON: {number}".encode()


def route_of(data: bytes) -> str:
    """Returns what its key says that routes look at, of a JSON record."""
    return "yes" if SIDE in data and data.startswith(b"{") else ""


def fate_of(data: bytes) -> Fate:
    if not data.startswith(b"{"):
        return Fate.DEAD_LETTER
    return Fate.ERROR_ROW if b"not a number" in data else Fate.ROW
