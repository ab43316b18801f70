"""Snowpipe Streaming's REST API (`snowpipe-streaming-high-performance-rest-api`): what becomes of a request that is
repeated, late, malformed or behind a table's replacement. What counts: status and code, the names of an answer's fields.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.live.questions import files, streaming_stories
from tests.live.questions.rest import Client
from tests.live.questions.streaming_stories import Execute, Place, Query

COMMITTED_WITHIN_S = 60.0
POLL_S = 0.25
SETTLES = {
    "streaming: open": ("B97",),
    "streaming: append": ("B2",),
    "streaming: the same request again": ("B2",),
    "streaming: another request with a used token": ("B2",),
    "streaming: rows of one that was sent twice": ("B2",),
    "streaming: created_on_ms stays when it is opened again": ("B97",),
    "streaming: an earlier opener's append": ("B3",),
    "streaming: a body that is not JSON": ("B7",),
    "streaming: an append to no channel": ("B7",),
    "streaming: the status of no channel": ("B7",),
    "streaming: open on no table": ("B6",),
    "streaming: an append after the table was replaced": ("B5",),
    "streaming: the status after the table was replaced": ("B5",),
    **files.SETTLES,
    **streaming_stories.SETTLES,
}


def asked(control: str, jwt: str, database: str, execute: Execute, query: Query, session: Any) -> dict[str, Any]:
    """Asks of the tables that snowflake.py has made in `database`; `execute` and `query` run a statement as an administrator, and
    `session` is of the user whose token `jwt` is.
    """

    def client_of(table: str) -> Client:
        return Client(control=control, jwt=jwt, pipe=f"databases/{database}/schemas/ASKED/pipes/{table}-STREAMING")

    place = Place(
        client_of=client_of,
        schema=f"{database}.ASKED",
        role=f"{database}_INGEST",
        user=f"{database}_USER",
        execute=execute,
        query=query,
    )
    loaded = dict(files.asked(control, jwt, database, execute, query, session))
    return dict(_answers(client_of, database, execute)) | loaded | dict(streaming_stories.asked(place))


def _answers(client_of: Callable[[str], Client], database: str, execute: Execute) -> Iterator[tuple[str, Any]]:
    client = client_of("T")
    opened = client.opened("c")
    yield "streaming: open", opened.said
    token = opened.document["next_continuation_token"]
    first = client.append("c", token, b'{"A": 1}\n', "one")
    yield "streaming: append", first.said
    again = client.append("c", token, b'{"A": 1}\n', "one")
    yield "streaming: the same request again", {**again.said, "is the first answer": again == first}
    yield "streaming: another request with a used token", client.append("c", token, b'{"A": 2}\n', "two").said
    yield "streaming: rows of one that was sent twice", _committed(client, "c")
    created = client.status("c").get("created_on_ms")
    second = client.opened("c")
    yield "streaming: created_on_ms stays when it is opened again", client.status("c").get("created_on_ms") == created
    late = client.append("c", first.document["next_continuation_token"], b'{"A": 3}\n', "three")
    yield "streaming: an earlier opener's append", late.said
    token = second.document["next_continuation_token"]
    yield "streaming: a body that is not JSON", client.append("c", token, b"{", "four").said
    yield "streaming: an append to no channel", client.append("nobody", token, b'{"A": 4}\n', "five").said
    yield "streaming: the status of no channel", client.status("nobody")
    yield "streaming: open on no table", client_of("MISSING").opened("c").said
    yield from _replaced(client_of("R"), database, execute)


def _replaced(client: Client, database: str, execute: Execute) -> Iterator[tuple[str, Any]]:
    token = client.opened("c").document["next_continuation_token"]
    execute(f"CREATE OR REPLACE TABLE {database}.ASKED.R (A NUMBER(38,0)) COPY GRANTS")
    yield "streaming: an append after the table was replaced", client.append("c", token, b'{"A": 1}\n', "six").said
    yield "streaming: the status after the table was replaced", bool(client.status("c"))


def _committed(client: Client, channel: str) -> Any:
    """Returns how many rows were inserted, once there are some."""
    ends = time.monotonic() + COMMITTED_WITHIN_S
    while not (rows := client.status(channel).get("rows_inserted")) and time.monotonic() < ends:
        time.sleep(POLL_S)
    return rows
