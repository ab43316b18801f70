"""While an engine runs, people change things in Snowflake: each is named, its pipeline stops or goes on, and no record is lost.

A table is replaced, a pipe is made again, a channel is dropped, a pipe fails over; beside them a pipeline that nobody touches.
Then a person decides with `firnline resume`, and the rest comes.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence

from tests.acceptance.stage import DATABASE, PATIENCE_S, STOPPED, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums

HALF = 200
UNTOUCHED, REPLACED, PIPED, DROPPED = "untouched", "replaced", "piped", "dropped"
STREAMS = (UNTOUCHED, REPLACED, PIPED, DROPPED)
STOPS_BY = {REPLACED: "FL-3107", PIPED: "FL-3107", DROPPED: "FL-2112"}
RESUMES_FROM = {REPLACED: "trim-horizon", PIPED: "proven", DROPPED: "proven"}
PIPE = f"{DATABASE}.PIPED_OWN"
DROP = """
import sys
from pathlib import Path
from firnline_ingest.config.load import load_config
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.values import TargetTable
channels = SdkChannels(load_config(Path(sys.argv[1])))
channels.drop(TargetTable("FIRNLINE", "RAW", sys.argv[2], "", sys.argv[2] + "-STREAMING"), sys.argv[3])
"""


def play(stage: Stage) -> Sequence[Line]:
    for name in STREAMS:
        stage.pipeline(name)
        stage.numbers(name, 0, HALF)
    _make_pipe(stage)
    stage.streams[PIPED]["pipe"] = "PIPED_OWN"
    with stage.engine() as engine:
        stage.until(lambda: all(stage.is_proven(name, HALF) for name in STREAMS), engine, "half of each proven")
        stage.make_table("REPLACED")
        _make_pipe(stage)
        _drop_the_channel(stage)
        stage.environment.add_fault(
            endpoint="snowflake:append", kind="ERROR", status=410, code="ERR_PIPE_FAILED_OVER", times=2
        )
        for name in STREAMS:
            stage.numbers(name, HALF, HALF)
        stage.until(lambda: stage.count(f"{DATABASE}.UNTOUCHED") == 2 * HALF, engine, "all of what nobody touched")
        stage.until(lambda: set(STOPS_BY.items()) <= set(stage.problems()), engine, f"stopped by {STOPS_BY}")
        stage.stop(engine, STOPPED)
    lines = [*_stopped(stage)]
    for name, start in RESUMES_FROM.items():
        stage.ingest("resume", "--stream", name, "--from", start)
    stage.run()
    return lines + [Line(f"{name}: resumed", sums, ALL) for name, sums in stage.audit().items()]


ALL = Sums(records=2 * HALF, rows=2 * HALF)


def _make_pipe(stage: Stage) -> None:
    stage.sql(
        f"CREATE OR REPLACE PIPE {PIPE} AS COPY INTO {DATABASE}.PIPED FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        f"GRANT OPERATE ON PIPE {PIPE} TO ROLE {stage.environment.logins['ingest'].role}",
    )


def _drop_the_channel(stage: Stage) -> None:
    """By another program with the engine's user, whose SDK is a process's own."""
    names, rows = stage.environment.query(f"SHOW CHANNELS IN TABLE {DATABASE}.DROPPED", login="admin")
    channel = rows[0][[name.lower() for name in names].index("name")]
    subprocess.run(
        [sys.executable, "-c", DROP, str(stage.config_file), "DROPPED", channel], check=True, timeout=PATIENCE_S
    )


def _stopped(stage: Stage) -> Iterator[Line]:
    """Not one row came into another table, or through another pipe, before somebody said so."""
    named = {line["stream"] for event in ("table.replaced", "pipe.replaced") for line in stage.log(event)}
    if not {REPLACED, PIPED} <= named:
        raise SceneFailed(f"the log names what was replaced of {named or 'nobody'}")
    rows = {UNTOUCHED: 2 * HALF, REPLACED: 0, PIPED: HALF, DROPPED: HALF}
    for name, sums in stage.audit().items():
        expected = Sums(records=2 * HALF, rows=rows[name], missing=2 * HALF - rows[name])
        yield Line(f"{name}: meanwhile", sums, expected)
