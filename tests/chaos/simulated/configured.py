"""The configuration of a story's engines."""

from typing import TYPE_CHECKING, Any

from firnline_ingest.config.model import EngineConfig
from tests.chaos.simulated.snowflake import EVENTS, SIDE, THIRD

if TYPE_CHECKING:
    from tests.chaos.simulated.world import World

STREAM = "events"
MORE = r"more-(\d)"
"""Whatever other streams there are, a pattern finds them."""
ROUTES = {"yes": SIDE, "also": THIRD}
SMALL_BYTES = 250_000


def config_of(world: "World", variant: int) -> EngineConfig:
    pipeline: dict[str, Any] = {
        "database": "DB",
        "schema": "RAW",
        "tolerance": "all",
        "initial_position": world.initial_position,
        "fail_on_data_loss": world.fail_on_data_loss,
        "format": world.format.options,
        "transforms": [{"type": "insert", "field": "variant", "value": str(variant)}] if variant else [],
    }
    if variant % 2 and world.may_be_small:
        pipeline["max_row_bytes"] = SMALL_BYTES
    pipeline |= world.options
    if world.max_ahead_seconds is not None:
        pipeline["alignment"] = {
            "max_ahead_seconds": world.max_ahead_seconds,
            "ignore_stalled_after_seconds": world.ignore_stalled_seconds,
        }
    named = {**pipeline, "stream": STREAM, "table": EVENTS, "routes": _routes(world)}
    if world.reads_by_fan_out:
        named["reader"] = {"fan_out": {"registration": "lazy"}}
    found = {**pipeline, "streams": MORE, "table": EVENTS if world.shared_table else "MORE_{1}"}
    return EngineConfig.model_validate(
        {
            "version": 1,
            "application": "story",
            "aws": {"region": "us-east-1"},
            "ledger": {"table": "ledger"},
            "snowflake": {"account": "A", "user": "U", "role": "R", "private_key": {"file": "no file"}},
            "dead_letters": {"folder": "no folder"},
            "spark": {"checkpoint": "no checkpoint"},
            "list_streams_seconds": 10,
            "pipelines": [named],
            "patterns": [found] if world.goes_on else [],
        }
    )


def _routes(world: "World") -> dict[str, Any] | None:
    tables = {value: ROUTES[value] for value in world.routes}
    return {"key": world.format.key, "tables": tables, "unmatched": "own_table"} if tables else None
