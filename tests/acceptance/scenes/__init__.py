"""Each scene, a file, by its name. A scene plays on its stage and returns the audit's sums beside what they have to be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.acceptance.scenes import formats
from tests.acceptance.stage import Stage
from tests.acceptance.sums import Line


@dataclass(frozen=True)
class Scene:
    about: str
    play: Callable[[Stage], Sequence[Line]]


SCENES: Mapping[str, Scene] = {
    "formats": Scene("every format with 1 % of every kind of bad record; keep, skip, stop; tolerance", formats.play),
}
