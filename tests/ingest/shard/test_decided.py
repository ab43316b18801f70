"""Registries that forget and learn, tables that don't commit, and kills between: each record is a row or a dead letter, once."""

import io
import json
import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import fastavro
import pytest

from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.work import Destination
from tests.fakes.configs import TARGET
from tests.fakes.kills import Killed, dies_at
from tests.ingest.formats.test_registered import CONFLUENT, Known, confluent
from tests.ingest.shard.conftest import World

from .running import bounded, now_ms

FIELDS = [{"name": "n", "type": "int"}, {"name": "kind", "type": "string"}]
SCHEMA = {"type": "record", "name": "R", "fields": FIELDS}
KNOWN = RegisteredSchema(json.dumps(SCHEMA))
ORDERS = Destination(replace(TARGET, table="ORDERS", pipe="ORDERS-STREAMING"), "app~orders", "ORDERS")
ROUTES = {"key": "kind", "tables": {"order": "ORDERS"}, "unmatched": "own_table"}
LIVES = 8
OFTEN_KNOWN = {7: 0.8, 8: 0.4, 9: 0.3}
"""How likely a life's registry has the schema."""


def record(n: int, rng: random.Random) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, SCHEMA, {"n": n, "kind": rng.choice(("order", "other"))})
    return confluent(file.getvalue(), rng.choice((7, 7, 8, 9)))


@pytest.mark.parametrize("routes", [None, ROUTES], ids=["one table", "two tables"])
@pytest.mark.parametrize("seed", range(2))
def test_each_record_is_a_row_or_a_dead_letter_once(world: World, seed: int, routes: dict[str, Any] | None) -> None:
    rng, known = random.Random(seed), Known({})
    world.configure(format=CONFLUENT, routes=routes)
    asked, total = world.work(routed=(ORDERS,) if routes else ()), 0
    for _ in range(LIVES):
        for _ in range(rng.randint(0, 6)):
            world.stream.put(record(total, rng))
            total += 1
        known.schemas = {schema_id: KNOWN for schema_id, often in OFTEN_KNOWN.items() if rng.random() < often}
        world.channels.holds = rng.choice((ORDERS.channel, "")) if routes else ""
        world.channels.commits_at_once = rng.random() < 0.7
        services = world.services(schemas=known.of, observer=dies_at(times=rng.randint(1, 25)), final_commit_s=0.05)
        with suppress(Killed):
            ShardRunner(services, ShardRequest.lasting(asked, 0.15, arrival_ms=now_ms())).run()
    known.schemas, world.channels.holds, world.channels.commits_at_once = dict.fromkeys(OFTEN_KNOWN, KNOWN), "", True
    assert bounded(world.services(schemas=known.of), asked).problem is None
    places = {str(one.sequence_number): n for n, one in enumerate(world.shard.records)}
    rows = [json.loads(row)["n"] for served in world.channels.served.values() for row in served.rows]
    letters = [places[letter.sequence_number] for letter in world.letters]
    assert sorted(rows + letters) == list(range(total))
    assert world.row.decided == ()
