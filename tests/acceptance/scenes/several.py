"""One engine with pipelines that are well, one that is broken and heals, and streams that a pattern finds, one of them later."""

from collections.abc import Sequence

from tests.acceptance.stage import DATABASE, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums
from tests.fakes.kinesis import made_active

MANY, FEW = 1_000, 100
WELL, BROKEN, LATER = "well", "broken", "tenant-later"
FOUND = ("tenant-a", "tenant-b")
PATTERN = {"streams": "tenant-.+", "database": "FIRNLINE", "schema": "RAW", "table": "TENANTS"}


def play(stage: Stage) -> Sequence[Line]:
    stage.pipeline(WELL, shards=2)
    broken = stage.pipeline(BROKEN)
    stage.sql(f"DROP TABLE {broken}")
    stage.make_table("TENANTS")
    stage.sections |= {"patterns": [PATTERN], "list_streams_seconds": 10.0, "failures": {"retry_seconds": 10.0}}
    region, account = stage.environment.endpoints.region, stage.environment.endpoints.aws_account
    stage.access |= {"patterns": {"tenant-*": f"arn:aws:kinesis:{region}:{account}:stream/tenant-*"}}
    for name in FOUND:
        made_active(stage.kinesis, name)
        stage.numbers(name, 0, FEW)
    for name in (WELL, BROKEN):
        stage.numbers(name, 0, MANY)
    with stage.engine() as engine:
        stage.until(lambda: (BROKEN, "FL-3006") in stage.problems(), engine, "the broken one named")
        stage.until(lambda: stage.count(f"{DATABASE}.WELL") == MANY, engine, "all of the one that is well")
        made_active(stage.kinesis, LATER, shards=2)
        stage.numbers(LATER, 0, FEW)
        stage.until(lambda: stage.count(f"{DATABASE}.TENANTS") == 3 * FEW, engine, "all of what the pattern finds")
        stage.make_table("BROKEN")
        stage.until(lambda: stage.count(broken) == MANY, engine, "the broken one healed")
        stage.stop(engine)
    if not any(line["stream"] == BROKEN for line in stage.log("pipeline.recovered")):
        raise SceneFailed("nobody said that the broken one is well again")
    records = dict.fromkeys((WELL, BROKEN), MANY) | dict.fromkeys((*FOUND, LATER), FEW)
    found = stage.audit()
    return [Line(name, found[name], Sums(records=count, rows=count)) for name, count in records.items()]
