"""The ledger, the dead letters and the journal of replays of a story: each call is an effect, and its answer may be lost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.dead_letters import Choice, DeadLetter, DeadLetterKey
from firnline_ingest.dead_letters.choice import ALL, OnDamaged, refuse
from firnline_ingest.dead_letters.errors import DeadLettersUnavailable
from firnline_ingest.dead_letters.letter import sorted_shards
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.values import ShardKey
from tests.chaos.simulated.simulation import Simulation, pause
from tests.fakes.ledger import MemoryLedger

NOT_ANSWERED = {"forget"}


@dataclass
class LedgerTrouble:
    """Trouble of the ledger that is going on."""

    is_down: bool = False
    lost: float = 0.0


class SimulatedLedger:
    """Stands before a MemoryLedger: every engine's calls go through here, the story's own to `memory`."""

    def __init__(self, simulation: Simulation) -> None:
        self.memory = MemoryLedger()
        self.trouble = LedgerTrouble()
        self._simulation = simulation

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            pause()
            if self.trouble.is_down:
                raise LedgerUnavailable("ledger", "it is down")
            answer = getattr(self.memory, name)(*arguments, **named)
            if self._simulation.rng.random() < self.trouble.lost:
                raise LedgerUnavailable("ledger", f"the answer to {name} was lost")
            return answer

        return call


@dataclass
class SimulatedLetters:
    """Implements dead_letters.DeadLetterStore."""

    simulation: Simulation
    kept: dict[DeadLetterKey, DeadLetter] = field(default_factory=dict)
    is_down: bool = False
    lost: float = 0.0
    """How many puts keep a part of what they were given, and fail."""

    def put(self, letters: Iterable[DeadLetter]) -> int:
        pause()
        if self.is_down:
            raise DeadLettersUnavailable("put", "the letters", "503")
        before, given = len(self.kept), list(letters)
        is_lost = self.lost > 0 and self.simulation.rng.random() < self.lost
        for letter in given[: self.simulation.rng.randint(0, len(given))] if is_lost else given:
            self.kept.setdefault(letter.key, letter)
        pause()
        if is_lost:
            raise DeadLettersUnavailable("put", "the letters", "the answer was lost")
        return len(self.kept) - before

    def list(self) -> Iterator[DeadLetter]:
        return iter(list(self.kept.values()))

    def get(self, key: DeadLetterKey) -> DeadLetter:
        return self.kept[key]


@dataclass
class Letters:
    """The store of a story, as a command reads it."""

    store: SimulatedLetters

    def list(self, choice: Choice = ALL, on_damaged: OnDamaged = refuse) -> Iterator[DeadLetter]:
        return (letter for letter in self.store.list() if choice.has(letter))

    def shards(self, choice: Choice = ALL) -> Sequence[ShardKey]:
        return sorted_shards((one.stream, one.stream_created_ms, one.shard_id) for one in self.list(choice))

    def get(self, key: DeadLetterKey) -> DeadLetter:
        return self.store.get(key)


@dataclass
class SharedObjects:
    """Implements NamedObjects: each call is an effect of its own."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def create(self, name: str, content: bytes) -> bool:
        pause()
        return self.kept.setdefault(name, content) is content

    def read(self, name: str) -> bytes:
        pause()
        return self.kept[name]

    def names(self, folder: str) -> Iterator[str]:
        pause()
        return iter(sorted(name for name in self.kept if name.startswith(folder)))
