"""Rows in flight when an engine is killed and its configuration changed, `firnline drain`, and dead letters that come back.

Records that are too large for the first configuration fit the second one; some fit none, and come back by file; some never
will. What is replayed twice is there once, and the audit knows it.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from threading import Thread

from tests.acceptance.orders import as_json
from tests.acceptance.payloads import Put
from tests.acceptance.stage import DATABASE, STOPPED, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums

STREAM, TABLE = "kept", f"{DATABASE}.KEPT"
SMALL, LARGE = 2_000, 1_000_000
"""`max_row_bytes` of the first configuration, and of the second."""
FIRST, SECOND, EVERY, HUGE = 1_000, 4_000, 100, 3
NEVER = Put(b"no json")
NEVERS = (FIRST + SECOND) // EVERY
ALL_OF_THE_FIRST = FIRST + 2 * FIRST // EVERY + HUGE
ALL_OF_THE_SECOND = SECOND + SECOND // EVERY
ALL = ALL_OF_THE_FIRST + ALL_OF_THE_SECOND


def play(stage: Stage) -> Sequence[Line]:
    stage.pipeline(STREAM, max_row_bytes=SMALL)
    _kill_with_rows_in_flight(stage)
    before = stage.count(TABLE)
    stage.streams[STREAM]["max_row_bytes"] = LARGE
    stage.run(status=STOPPED)
    if not any(problem == "FL-2111" for _, problem in stage.problems()):
        raise SceneFailed(f"the other configuration is not told from what is in flight: {stage.problems()}")
    _drain(stage, before)
    stage.run()
    lines = [_line(stage, "configured anew", letters=stage.letters()[STREAM]["too-large"])]
    return [*lines, *_replayed(stage)]


def _first() -> Iterator[Put]:
    """With records that only the second configuration makes rows, and some that none does."""
    for n in range(FIRST):
        yield Put(as_json(n))
        if n % EVERY == 0:
            yield from (Put(b'{"n": -1, "large": "%s"}' % (b"x" * SMALL)), NEVER)
    for n in range(HUGE):
        yield Put(b'{"n": %d, "huge": "%s"}' % (n, b"x" * (LARGE + 10_000)))


def _second() -> Iterator[Put]:
    """Yields those whose fate no configuration changes, so that the sums do not depend on where the kill falls."""
    for n in range(FIRST, FIRST + SECOND):
        yield Put(as_json(n))
        if n % EVERY == 0:
            yield NEVER


def _kill_with_rows_in_flight(stage: Stage) -> None:
    """Driver, JVM and workers at once, while records come."""
    first = stage.put(STREAM, _first())
    put: list[int] = []
    producer = Thread(target=lambda: put.append(stage.put(STREAM, _second())))
    with stage.engine() as engine:
        stage.until(lambda: stage.is_proven(STREAM, first), engine, "the first part proven")
        stage.environment.add_fault(
            endpoint="snowflake:status", kind="SLOW", delay_s=5
        )  # so that nothing is proven yet
        producer.start()
        stage.until(lambda: stage.count(TABLE) > FIRST, engine, "rows of the second part")
        os.killpg(engine.pid, signal.SIGKILL)
    stage.environment.set_faults([])
    producer.join()
    if [first, *put] != [ALL_OF_THE_FIRST, ALL_OF_THE_SECOND]:
        raise SceneFailed(f"{first} and {put} records were put")


def _drain(stage: Stage, before: int) -> None:
    """With the configuration that made the rows; takes in nothing that is not in flight."""
    stage.streams[STREAM]["max_row_bytes"] = SMALL
    stage.sections["spark"] = {"master": "local[2,8]"}
    stage.ingest("drain")
    del stage.sections["spark"]
    if stage.count(TABLE) < before:
        raise SceneFailed(f"{before} rows were there before the drain, and {stage.count(TABLE)} are since")
    stage.streams[STREAM]["max_row_bytes"] = LARGE


def _line(stage: Stage, what: str, *, letters: int, replayed: int = 0) -> Line:
    """So many records are letters that could be rows."""
    kept = NEVERS + letters
    expected = Sums(records=ALL, rows=ALL - kept, dead_letters=kept, replayed=replayed)
    return Line(what, stage.audit()[STREAM], expected)


def _replayed(stage: Stage) -> Iterator[Line]:
    kept = stage.letters()[STREAM]["too-large"]
    fit = kept - HUGE
    if fit < 1:
        raise SceneFailed("no letter of the first configuration is there to be replayed")
    listed = stage.firnline("dead-letters", "list", "--reason", "too-large", "-o", "json").splitlines()
    if len(listed) != kept:
        raise SceneFailed(f"{len(listed)} letters are listed, not {kept}")
    for times, said in (("replayed", f"{fit} replayed as {fit} rows"), ("replayed twice", "0 replayed as 0 rows")):
        told = stage.firnline("dead-letters", "replay", "--reason", "too-large", statuses=(0, 1))
        if said not in told:
            raise SceneFailed(f"{times}: the command does not say {said!r}", told.splitlines())
        yield _line(stage, times, letters=HUGE, replayed=fit)
    _make_the_way_for_files(stage)
    for times, rows in (("by file", HUGE), ("by file twice", 0)):
        told = stage.firnline("dead-letters", "replay", "--reason", "too-large", "--by-file")
        if f"{rows} replayed as {rows} rows" not in told:
            raise SceneFailed(f"{times}: the command does not say that {rows} are replayed", told.splitlines())
        yield _line(stage, times, letters=0, replayed=kept)


def _make_the_way_for_files(stage: Stage) -> None:
    """Makes the way as `file_replay` makes it (docs/files.md)."""
    role, place = stage.environment.logins["ingest"].role, f"{TABLE}_DEAD_LETTERS"
    stage.sql(
        f"CREATE STAGE {place}",
        f"CREATE PIPE {place} AS COPY INTO {TABLE} FROM @{place} FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE",
        f"GRANT READ, WRITE ON STAGE {place} TO ROLE {role}",
        f"GRANT OPERATE, MONITOR ON PIPE {place} TO ROLE {role}",
        f"GRANT SELECT ON TABLE {TABLE} TO ROLE {role}",
    )
