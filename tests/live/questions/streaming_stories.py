"""Stories of rows and channels while tables change, by Snowpipe Streaming's REST API: each on a table of its own.

What is read back comes through `query`, an administrator's in a warehouse.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.docs.conversion_page import lines
from tests.live.questions.rest import Client

Execute = Callable[[str], None]
Query = Callable[[str], Sequence[Sequence[Any]]]
SETTLED_WITHIN_S, POLL_S = 60.0, 0.25
MEGABYTE = 1_000_000
MANY = 100
COPY = "COPY INTO {table} FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
SETTLES = {
    "rows: tokens that show are ends of requests": ("B1", "B93"),
    "rows: counters and tokens never go back": ("B93",),
    "rows: a value of each kind in each column": ("B8", "B12"),
    "rows: two keys for one column": ("B11", "B12"),
    "rows: a rejected one is in the error table": ("B419",),
    "rows: codes of the error table": ("B12",),
    "rows: structured columns": ("B173", "B560"),
    "evolution: types of new columns": ("B13",),
    "evolution: 101 new columns": ("B14",),
    "evolution: the channel after 101 new columns": ("B14",),
    "evolution: two channels bring one key": ("B16",),
    "evolution: a column that a person adds": ("B470",),
    "changes: after SWAP WITH": ("B5", "B190"),
    "changes: after RENAME, with another table of the name": ("B5",),
    "changes: after RENAME alone": ("B75",),
    "changes: after CREATE OR REPLACE PIPE": ("B5",),
    "changes: an interactive table has its pipe once it is opened": ("B60", "B1003"),
    "changes: a pipe without a SELECT for an interactive table": ("B1005",),
    "requests: more than four megabytes": ("B7",),
    "user: disabled under a running channel": ("B192",),
}


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of the stories: tables in `schema`, into which the role of `client_of`'s user inserts."""

    client_of: Callable[[str], Client]
    schema: str
    role: str
    user: str
    execute: Execute
    query: Query

    def table(self, name: str, columns: str, more: str = "ERROR_LOGGING = TRUE", *, evolves: bool = False) -> Client:
        evolution = " ENABLE_SCHEMA_EVOLUTION = TRUE" if evolves else ""
        self.execute(f"CREATE TABLE {self.schema}.{name} ({columns}) {more}{evolution}")
        privileges = "INSERT, EVOLVE SCHEMA" if evolves else "INSERT"
        self.execute(f"GRANT {privileges} ON TABLE {self.schema}.{name} TO ROLE {self.role}")
        return self.client_of(name)


def asked(place: Place) -> Iterator[tuple[str, Any]]:
    yield from _batches(place)
    yield from _values(place)
    yield from _evolution(place)
    yield from _changes(place)
    yield from _disabled(place)


def _batches(place: Place) -> Iterator[tuple[str, Any]]:
    client = place.table("BATCHES", "A NUMBER, P VARCHAR")
    token, seen, counted = client.opened("c").document["next_continuation_token"], ["0"], [0]
    for number in range(1, 5):
        body = b"".join(b'{"A":%d,"P":"%s"}\n' % (row, b"p" * 1000) for row in range(900))
        said = client.append("c", token, body, f"batch {number}", end=str(number * 10))
        token = said.document["next_continuation_token"]
        _looked(client, seen, counted)
    ends = time.monotonic() + SETTLED_WITHIN_S
    while seen[-1] != "40" and time.monotonic() < ends:
        _looked(client, seen, counted)
        time.sleep(POLL_S)
    yield (
        "rows: tokens that show are ends of requests",
        {"last": seen[-1], "ends": {*seen} <= {"0", "10", "20", "30", "40"}},
    )
    whole = [each % 900 == 0 for each in counted]
    forward = [*map(int, seen)] == sorted(map(int, seen)) and counted == sorted(counted)
    yield "rows: counters and tokens never go back", {"forward": forward, "whole requests": all(whole)}
    four = client.append("c", token, b'{"P":"%s"}\n' % (b"p" * 5 * MEGABYTE), "more than four megabytes", end="50")
    yield "requests: more than four megabytes", four.said


def _looked(client: Client, seen: list[str], counted: list[int]) -> None:
    status = client.status("c")
    seen.append(status.get("last_committed_offset_token") or "0")
    counted.append(status.get("rows_inserted", 0))


def _values(place: Place) -> Iterator[tuple[str, Any]]:
    cases = lines("in the record")
    columns = ", ".join(["ID NUMBER", *(f"C{number} {column}" for number, (_, column, *_) in enumerate(cases))])
    client = place.table("KINDS", columns)
    body = "".join(f'{{"id":{number},"c{number}":{value}}}\n' for number, (value, *_) in enumerate(cases))
    _sent(client, body.encode(), len(cases))
    table = f"{place.schema}.KINDS"
    kept = {int(row[0]): _shown(row[1 + int(row[0])]) for row in place.query(f"SELECT * FROM {table}")}
    errors = "SELECT ERROR_CODE, ERROR_DATA FROM ERROR_TABLE({})"
    for code, data in place.query(errors.format(table)):
        document = json.loads(data)
        kept[int(json.loads(document["$1"])["id"])] = f"error {int(code)}"
    said = {f"{value} in {column}": kept.get(number) for number, (value, column, *_) in enumerate(cases)}
    yield "rows: a value of each kind in each column", said
    yield "rows: codes of the error table", sorted({each for each in kept.values() if each.startswith("error")})
    client = place.table("SHAPED", "ID NUMBER, O OBJECT(a NUMBER, b VARCHAR), L ARRAY(NUMBER)")
    shaped: list[dict[str, Any]] = [
        {"o": {"a": 1, "b": "x"}},
        {"o": {"a": 1}},
        {"o": {"a": 1, "b": "x", "c": 2}},
        {"l": [1, 2]},
        {"l": "text"},
    ]
    body = "".join(json.dumps({"id": number, **each}) + "\n" for number, each in enumerate(shaped))
    _sent(client, body.encode(), len(shaped))
    stored = sorted(int(row[0]) for row in place.query(f"SELECT ID FROM {place.schema}.SHAPED"))
    yield "rows: structured columns", {"stored": [shaped[number] for number in stored]}
    client = place.table("DOUBLED", "A NUMBER")
    counted = _sent(client, b'{"A": 1, "a": 2}\n{"A": "x"}\n', 2)
    found = place.query(f"SELECT ERROR_CODE, ERROR_METADATA FROM ERROR_TABLE({place.schema}.DOUBLED)")
    yield "rows: two keys for one column", {"codes": sorted(int(code) for code, _ in found)}
    channels = {json.loads(metadata).get("details", {}).get("channel_name") for _, metadata in found}
    told = {"counted": counted["rows_error_count"] == len(found), "channels": sorted(map(str, channels))}
    yield "rows: a rejected one is in the error table", told


def _evolution(place: Place) -> Iterator[tuple[str, Any]]:
    client = place.table("EVOLVES", "A NUMBER", evolves=True)
    body = b'{"A":1,"nothing":null,"mixed":1,"nested":{"x":1},"listed":[1],"day":"2026-01-01"'
    body += b',"whole":5,"broken":1.5,"yes":true}\n'
    _sent(client, body + b'{"A":2,"mixed":"text"}\n', 2)
    described = place.query(f"DESCRIBE TABLE {place.schema}.EVOLVES")
    yield "evolution: types of new columns", {str(row[0]): str(row[1]) for row in described}
    many = json.dumps({f"k{number}": number for number in range(MANY + 1)}).encode() + b"\n"
    client = place.table("MANY", "A NUMBER", evolves=True)
    token = client.opened("c").document["next_continuation_token"]
    yield "evolution: 101 new columns", client.append("c", token, many, "many", end="1").said
    yield "evolution: the channel after 101 new columns", _settled(client, "c").get("channel_status_code")
    client = place.table("BOTH", "A NUMBER", evolves=True)
    opened = {name: client.opened(name).document["next_continuation_token"] for name in ("one", "two")}
    for name, token in opened.items():
        client.append(name, token, b'{"A":1,"fresh":"f"}\n', f"both {name}", end="1")
    inserted = [_settled(client, name).get("rows_inserted") for name in opened]
    names = [str(row[0]) for row in place.query(f"DESCRIBE TABLE {place.schema}.BOTH")]
    filled = place.query(f"SELECT COUNT(*) FROM {place.schema}.BOTH WHERE FRESH = 'f'")[0][0]
    yield "evolution: two channels bring one key", {"rows": inserted, "columns": names, "filled": int(filled)}
    client = place.table("ADDED", "A NUMBER")
    token = client.opened("c").document["next_continuation_token"]
    token = client.append("c", token, b'{"A":1}\n', "before", end="1").document["next_continuation_token"]
    place.execute(f"ALTER TABLE {place.schema}.ADDED ADD COLUMN B NUMBER")
    client.append("c", token, b'{"A":2,"B":2}\n', "after", end="2")
    _settled(client, "c", rows=2)
    filled = place.query(f"SELECT COUNT(B) FROM {place.schema}.ADDED")[0][0]
    yield "evolution: a column that a person adds", {"filled": int(filled)}


def _changes(place: Place) -> Iterator[tuple[str, Any]]:
    swapped, token = _opened(place, "SWAPPING")
    place.table("INSTEAD", "A NUMBER")
    place.execute(f"ALTER TABLE {place.schema}.SWAPPING SWAP WITH {place.schema}.INSTEAD")
    yield "changes: after SWAP WITH", _after(swapped, token, place, "INSTEAD")
    renamed, token = _opened(place, "RENAMING")
    place.execute(f"ALTER TABLE {place.schema}.RENAMING RENAME TO {place.schema}.ELSEWHERE")
    yield "changes: after RENAME alone", _after(renamed, token, place, "ELSEWHERE")
    place.table("RENAMING", "A NUMBER")
    yield "changes: after RENAME, with another table of the name", _after(renamed, token, place, "ELSEWHERE")
    table = place.table("PIPED", "A NUMBER")
    pipe = f"PIPE {place.schema}.PIPED AS {COPY.format(table=f'{place.schema}.PIPED')}"
    grant = f"GRANT OPERATE ON PIPE {place.schema}.PIPED TO ROLE {place.role}"
    place.execute(f"CREATE {pipe}")
    place.execute(grant)
    table = place.client_of("PIPED").of_pipe("PIPED")
    token = table.opened("c").document["next_continuation_token"]
    place.execute(f"CREATE OR REPLACE {pipe}")
    place.execute(grant)
    said = table.append("c", token, b'{"A":1}\n', "after the pipe", end="1").said
    yield "changes: after CREATE OR REPLACE PIPE", {"append": said["status"], "is listed": bool(table.status("c"))}
    yield from interactive(place)


def interactive(place: Place) -> Iterator[tuple[str, Any]]:
    """Neither statement's form is on a page in full: a refusal is the answer, and what comes next is asked all the same."""
    table = f"INTERACTIVE TABLE {place.schema}.QUICK"
    refused = _refusal(place, f"CREATE {table} (A NUMBER) CLUSTER BY (A)")
    refused = refused or _refusal(place, f"GRANT INSERT ON {table} TO ROLE {place.role}")
    opened = refused or place.client_of("QUICK").opened("c").said["status"]
    yield "changes: an interactive table has its pipe once it is opened", opened
    pipe = _refusal(place, f"CREATE PIPE {place.schema}.QUICK_PIPE AS {COPY.format(table=f'{place.schema}.QUICK')}")
    yield "changes: a pipe without a SELECT for an interactive table", pipe or {"taken": True}


def _refusal(place: Place, statement: str) -> dict[str, Any] | None:
    from snowflake.connector.errors import Error

    try:
        place.execute(statement)
    except Error as error:
        return {"refused": statement.partition(" ")[0], "code": error.errno, "state": error.sqlstate}
    return None


def _opened(place: Place, name: str) -> tuple[Client, str]:
    client = place.table(name, "A NUMBER")
    return client, client.opened("c").document["next_continuation_token"]


def _after(client: Client, token: str, place: Place, now: str) -> dict[str, Any]:
    """Returns what the old name says, and whether the channel is listed under the new one."""
    said = client.append("c", token, b'{"A":1}\n', f"after {now}", end="1").said
    moved = place.client_of(now)
    return {"append": said["status"], "is listed": bool(client.status("c")), "went along": bool(moved.status("c"))}


def _disabled(place: Place) -> Iterator[tuple[str, Any]]:
    client, token = _opened(place, "LAST")
    place.execute(f"ALTER USER {place.user} SET DISABLED = TRUE")
    said = client.append("c", token, b'{"A":1}\n', "disabled", end="1").said
    again = place.client_of("LAST").scoped_token()
    place.execute(f"ALTER USER {place.user} SET DISABLED = FALSE")
    yield "user: disabled under a running channel", {"append": said["status"], "another token": again}


def _sent(client: Client, body: bytes, rows: int) -> dict[str, Any]:
    token = client.opened("c").document["next_continuation_token"]
    client.append("c", token, body, f"all {rows}", end="1")
    return _settled(client, "c", rows=rows)


def _settled(client: Client, channel: str, *, rows: int = 1) -> dict[str, Any]:
    """The channel's status once so many rows were kept or rejected, or it is no longer well."""
    ends = time.monotonic() + SETTLED_WITHIN_S
    while time.monotonic() < ends:
        status = client.status(channel)
        counted = status.get("rows_inserted", 0) + status.get("rows_error_count", 0)
        if counted >= rows or status.get("channel_status_code", "SUCCESS") not in ("SUCCESS", "ACTIVE", ""):
            break
        time.sleep(POLL_S)
    return status


def _shown(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case bytes() | bytearray():
            return bytes(value).hex().upper()
        case _:
            return str(value)
