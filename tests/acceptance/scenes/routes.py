"""One stream into several tables by a key; the engine is killed while records flow, and each record is in the one table."""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from threading import Thread

from tests.acceptance.payloads import Put
from tests.acceptance.stage import DATABASE, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums

STREAM = "shop"
TABLES: Mapping[str, str] = {"order": "SHOP_ORDERS", "refund": "SHOP_REFUNDS", "return": "SHOP_REFUNDS"}
RECORDS, EVERY = 6_000, 100
NOWHERE = {"another kind": Put(b'{"kind": "other"}'), "no kind": Put(b'{"n": 1}'), "no JSON": Put(b"no json")}


def play(stage: Stage) -> Sequence[Line]:
    stage.pipeline(STREAM, shards=2, routes={"key": "kind", "tables": TABLES})
    for table in set(TABLES.values()):
        stage.make_table(table)
    put: list[int] = []
    producer = Thread(target=lambda: put.append(stage.put(STREAM, _events())))
    with stage.engine() as engine:
        stage.until(lambda: stage.log("engine.started"), engine, "started")
        producer.start()
        stage.until(lambda: stage.count(f"{DATABASE}.SHOP_ORDERS"), engine, "the first rows")
        os.killpg(engine.pid, signal.SIGKILL)
    producer.join()
    stage.run()
    kinds = list(TABLES)
    expected = {f"{DATABASE}.{table}": 0 for table in ("SHOP", *TABLES.values())}
    for n in range(RECORDS):
        expected[f"{DATABASE}.{TABLES[kinds[n % 3]]}"] += 1
    found = {table: stage.count(table) for table in expected}
    if found != expected:
        raise SceneFailed(f"rows of each table: {found}, not {expected}")
    letters = RECORDS // EVERY * len(NOWHERE)
    return [Line(STREAM, stage.audit()[STREAM], Sums(records=sum(put), rows=RECORDS, dead_letters=letters))]


def _events() -> Iterator[Put]:
    kinds = list(TABLES)
    for n in range(RECORDS):
        yield Put(b'{"kind": "%s", "n": %d}' % (kinds[n % 3].encode(), n))
        if n % EVERY == 0:
            yield from NOWHERE.values()
