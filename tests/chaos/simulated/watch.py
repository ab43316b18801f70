"""Notices a shard that stands still without a word: records wait, an engine runs, nothing moves and nothing is said."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.chaos.simulated.world import World

SILENT_S = 300.0  # of an engine that runs
LOOK_S = 15.0


@dataclass
class ProgressWatch:
    """Looks now and then; each shard's last sign of life is a row, a letter, a move in the ledger, or a problem told."""

    problems: list[str] = field(default_factory=list)
    _next_look_s: float = 0.0
    _signs: dict[str, object] = field(default_factory=dict)
    _since_s: dict[str, float] = field(default_factory=dict)

    def look(self, world: "World") -> None:
        now_s = world.simulation.now_s
        if now_s < self._next_look_s:
            return
        leap_s = now_s - self._next_look_s if now_s > self._next_look_s + LOOK_S else 0.0  # nobody ran meanwhile
        self._since_s = {shard: since_s + leap_s for shard, since_s in self._since_s.items()}
        self._next_look_s = now_s + LOOK_S
        if not world.running:
            self._since_s.clear()
            return
        for shard in world.all_shards:
            name = world.name_of(shard)
            sign = world.sign_of_life(name)
            is_waiting = bool(shard.records) and not world.is_read(shard)
            if sign != self._signs.get(name) or not is_waiting:
                self._signs[name] = sign
                self._since_s[name] = now_s
            elif now_s - self._since_s.setdefault(name, now_s) > SILENT_S:
                self.problems.append(f"{name} stands still for {SILENT_S:.0f} s, and nobody says so")
                self._since_s[name] = float("inf")
