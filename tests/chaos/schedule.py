"""A schedule: what is put into a stream and what is done to the engine meanwhile. A seed gives all of it.

It is a row of acts. In each, a worker takes the stream's shards until it is struck; in the last one nothing is done to it.
"""

import random
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from firnline_ingest.shard.steps import EpochStep
from firnline_local.faults import Fault
from tests.chaos.faults import random_faults
from tests.chaos.records import Fate

ONCE_A_SHARD = {EpochStep.TAKEN, EpochStep.OPENED, EpochStep.REREAD, EpochStep.RECONCILED}


class Blow(StrEnum):
    """What is done to a process."""

    KILL = "kill"
    FREEZE = "freeze"
    """SIGSTOP; it goes on when the next worker has opened a channel, as a zombie."""


@dataclass(frozen=True, kw_only=True)
class Strike:
    """The worker is struck some time after it has come to a step for the n-th time."""

    step: EpochStep
    nth: int
    blow: Blow
    delay_ms: int


STRIKES = tuple(product(EpochStep, Blow))
"""Every step with every blow: a suite of so many schedules has all of them."""


@dataclass(frozen=True, kw_only=True)
class Act:
    """The life of one worker, and what happens before it starts."""

    puts: tuple[Fate, ...]
    strike: Strike | None
    page: int
    """Records a read returns at most: a restart cuts pages, and so appends, elsewhere."""
    epoch_s: float
    splits: bool = False
    loses_row: bool = False
    """A row of the ledger is deleted, as no outage would do and a person might."""
    holds_commits_s: float = 0.0
    """What is accepted stays uncommitted until so long after the strike."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    seed: int
    shards: int
    acts: tuple[Act, ...]
    faults: tuple[Fault, ...]
    empty_page_every: int | None

    @classmethod
    def of(cls, seed: int) -> "Schedule":
        rng = random.Random(seed)
        shards = rng.choice((1, 1, 2, 3))
        strikes = [_first_strike(seed, rng, shards), *(_strike(rng, shards) for _ in range(rng.randint(0, 2)))]
        split_at = rng.randint(1, len(strikes)) if rng.random() < 0.4 else -1
        loss_at = rng.randint(1, len(strikes)) if rng.random() < 0.2 else -1
        acts = [
            Act(
                puts=_puts(rng, least=4 * shards if number == 0 else 0),
                strike=strike,
                page=rng.randint(1, 8),
                epoch_s=rng.choice((0.15, 0.4, 1.0)),
                splits=number == split_at,
                loses_row=number == loss_at,
                holds_commits_s=rng.uniform(0.1, 2.0) if strike and rng.random() < 0.15 else 0.0,
            )
            for number, strike in enumerate([*strikes, None])
        ]
        return cls(
            seed=seed,
            shards=shards,
            acts=tuple(acts),
            faults=random_faults(rng),
            empty_page_every=rng.choice((None, None, 2, 5)),
        )


def _first_strike(seed: int, rng: random.Random, shards: int) -> Strike:
    """Seeds in a row have different ones."""
    step, blow = STRIKES[seed % len(STRIKES)]
    return _strike_at(step, blow, rng, shards)


def _strike(rng: random.Random, shards: int) -> Strike:
    return _strike_at(rng.choice(list(EpochStep)), rng.choice(list(Blow)), rng, shards)


def _strike_at(step: EpochStep, blow: Blow, rng: random.Random, shards: int) -> Strike:
    most = shards if step in ONCE_A_SHARD else 1 if step is EpochStep.DEAD_LETTERED else 2
    return Strike(step=step, nth=rng.randint(1, most), blow=blow, delay_ms=rng.choice((0, 0, 20, 120)))


def _puts(rng: random.Random, *, least: int) -> tuple[Fate, ...]:
    """The first act has something of everything, so that every step is reached."""
    some = rng.choices(list(Fate), [8, 1, 2], k=rng.randint(least, least + 12))
    return (*Fate, *some) if least else tuple(some)
