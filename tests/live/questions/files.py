"""Questions to Snowpipe's REST service about files that are submitted twice, are bad, or were not there (`user-guide/data-load-
snowpipe-rest-apis`): a stage, a pipe of a lower-case name and a table of the run's own.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.live.questions.rest import submitted

LOADED_WITHIN_S, POLL_S = 180.0, 1.0
SETTLES: dict[str, tuple[str, ...]] = {
    "files: a pipe of a lower-case name, as it stands": ("B414",),
    "files: the same pipe in upper case": ("B414",),
    "files: values as streamed ones": ("B416",),
    "files: submitted twice at once": ("B413",),
    "files: a bad one that was mended under its name": ("B412",),
    "files: one that was not there at first": ("B412",),
}
Execute = Callable[[str], None]
Query = Callable[[str], Any]


def asked(
    control: str, jwt: str, database: str, execute: Execute, query: Query, session: Any
) -> Iterator[tuple[str, Any]]:
    """`session` is of the user whose token `jwt` is."""
    place, role = f"{database}.ASKED", f"{database}_INGEST"
    for statement in (
        f"CREATE TABLE {place}.FILED (A NUMBER, B VARCHAR, C VARIANT)",
        f"CREATE STAGE {place}.FILED",
        f'CREATE PIPE {place}."filed" AS COPY INTO {place}.FILED FROM @{place}.FILED/f/ FILE_FORMAT = (TYPE = JSON)'
        " MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        f"GRANT INSERT, SELECT ON TABLE {place}.FILED TO ROLE {role}",
        f"GRANT READ, WRITE ON STAGE {place}.FILED TO ROLE {role}",
        f'GRANT OPERATE, MONITOR ON PIPE {place}."filed" TO ROLE {role}',
    ):
        execute(statement)

    def put(name: str, text: str) -> None:
        with tempfile.TemporaryDirectory() as folder, closing(session.cursor()) as cursor:
            file = Path(folder) / name
            file.write_text(text, encoding="utf-8")
            cursor.execute(f"PUT 'file://{file}' @{place}.FILED/f/ AUTO_COMPRESS = FALSE OVERWRITE = TRUE")

    def submit(name: str, pipe: str = '"filed"') -> int:
        return submitted(control, jwt, f"{place}.{pipe}", [name])

    def rows(number: int, *, until: int) -> int:
        ends = time.monotonic() + LOADED_WITHIN_S
        while (found := int(query(f"SELECT COUNT(*) FROM {place}.FILED WHERE A = {number}")[0][0])) < until:
            if time.monotonic() > ends:
                break
            time.sleep(POLL_S)
        return found

    put("one.json", json.dumps({"A": 1, "B": 12, "C": [1, {"x": None}]}))
    yield "files: the same pipe in upper case", submit("one.json", "FILED")
    yield "files: a pipe of a lower-case name, as it stands", submit("one.json")
    found = rows(1, until=1)
    values = query(f"SELECT B, C FROM {place}.FILED WHERE A = 1") if found else []
    yield "files: values as streamed ones", [[json.loads(str(value)) for value in row] for row in values]
    put("two.json", '{"A": 2}')
    submit("two.json")
    submit("two.json")
    put("three.json", '{"A": 3}')
    submit("three.json")
    rows(3, until=1)
    yield "files: submitted twice at once", rows(2, until=1)
    put("bad.json", '{"A": 4')
    submit("bad.json")
    submit("late.json")
    put("five.json", '{"A": 5}')
    submit("five.json")
    rows(5, until=1)
    put("bad.json", '{"A": 4}')
    put("late.json", '{"A": 6}')
    submit("bad.json")
    submit("late.json")
    late = rows(6, until=1)
    yield "files: one that was not there at first", late
    yield "files: a bad one that was mended under its name", rows(4, until=0)
