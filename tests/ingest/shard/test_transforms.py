"""Transforms through a whole shard: what becomes of each record is counted, and proven."""

import json

from firnline_ingest.config.model import PipelineConfig
from tests.ingest.shard.conftest import World

from .running import bounded

TRANSFORMS = [
    {"type": "filter", "field": "kind", "one_of": ["heartbeat"]},
    {"type": "exclude", "fields": ["card"]},
    {"type": "insert", "field": "source", "value": "web"},
]


def pipeline(*transforms: object, **more: object) -> PipelineConfig:
    document = {"stream": "events", "database": "DB", "schema": "RAW", "transforms": list(transforms), **more}
    return PipelineConfig.model_validate(document, strict=None)


def test_every_record_is_a_row_a_letter_or_filtered_and_the_sum_is_right(world: World) -> None:
    world.pipeline = pipeline(*TRANSFORMS)
    for payload in ({"n": 0, "card": 1}, {"kind": "heartbeat"}, {"source": "app"}, {"n": 3}, {"kind": "heartbeat"}):
        world.stream.put(payload)
    receipt = bounded(world.services(), world.work())
    rows = [json.loads(row) for row in world.served.rows]
    assert [{key: each[key] for key in each if key != "KINESISMETADATA"} for each in rows] == [
        {"n": 0, "source": "web"},
        {"n": 3, "source": "web"},
    ]
    counts = (receipt.records, receipt.rows, receipt.dead_letters, receipt.filtered, receipt.problem)
    assert counts == (5, 2, 1, 2, None)
    (letter,) = world.dead_letters.list()
    assert (letter.reason, letter.detail) == (
        "transform-failed",
        "transforms[2] (insert): source is there already.",
    )
    assert world.row.read_through == world.shard.last_position, "what is filtered behind the last row is read through"
    assert bounded(world.services("second"), world.work()).records == 0
