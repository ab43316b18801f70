"""Each scene, a file, by its name. A scene plays on its stage and returns the audit's sums beside what they have to be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.acceptance.scenes import changed, fan_out, formats, letters, migration, reshards, routes, several
from tests.acceptance.stage import Stage
from tests.acceptance.sums import Line


@dataclass(frozen=True)
class Scene:
    about: str
    play: Callable[[Stage], Sequence[Line]]
    write_limits: bool = False
    """True if its shards take a megabyte and 1,000 records a second, and no more."""


SCENES: Mapping[str, Scene] = {
    "formats": Scene("every format with 1 % of every kind of bad record; keep, skip, stop; tolerance", formats.play),
    "changed": Scene("table, pipe and channel changed while an engine runs; resume", changed.play),
    "letters": Scene("rows in flight under another configuration, drain, letters replayed", letters.play),
    "routes": Scene("one stream into several tables, and the engine killed", routes.play),
    "several": Scene("a broken pipeline among others, and streams that a pattern finds", several.play),
    "fan-out": Scene("fan-out by each kind of registration, and an executor killed", fan_out.play),
    "migration": Scene("the Kinesis Client Library stopped, and its leases taken over", migration.play),
    "reshards": Scene(
        "an on-demand stream that splits by itself, and 4 shards to 64 to 3", reshards.play, write_limits=True
    ),
}
