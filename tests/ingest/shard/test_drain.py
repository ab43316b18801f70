"""A drain: what is committed is counted and proven with the configuration that made it, and nothing else is taken in."""

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from tests.ingest.shard.conftest import World

from .running import bounded, numbers, run


class Killed(BaseException):
    pass


def die(reached: EpochStep, key: object) -> None:
    if reached is EpochStep.APPENDED:
        raise Killed


def test_another_conversion_goes_on_where_the_old_one_was_drained(world: World) -> None:
    world.stream.shard(records=5)
    with pytest.raises(Killed):
        bounded(world.services(observer=die), world.work())
    world.stream.put({"n": 5})
    old = world.pipeline
    world.pipeline = PipelineConfig.model_validate({**old.model_dump(by_alias=True), "max_row_bytes": 2000})
    refused = bounded(world.services(), world.work()).problem
    assert refused.id == "FL-2111"
    assert "firnline drain" in refused.next_step
    new, world.pipeline = world.pipeline, old
    drained = run(world.services(), ShardRequest.lasting(world.work(), 20.0, arrival_ms=0))
    assert (drained.state, drained.problem) == (ShardState.DONE, None)
    assert numbers(world.served.rows) == list(range(5)), "nothing new"
    world.pipeline = new
    assert bounded(world.services(), world.work()).problem is None
    assert numbers(world.served.rows) == list(range(6))
