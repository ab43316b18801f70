"""A schedule: what is put into a stream and what is done to the engine meanwhile. A seed gives all of it.

It is a row of acts. In each, a worker takes the stream's shards until it is struck; in the last one nothing is done to it.
"""

import random
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import TypeAlias

from firnline_ingest.shard.steps import EpochStep
from firnline_local.faults import Fault
from firnline_local.kinesis import Liberties
from tests.chaos.faults import random_faults
from tests.chaos.records import Fate

ONCE_A_SHARD = {EpochStep.TAKEN, EpochStep.OPENED, EpochStep.REREAD, EpochStep.RECONCILED}


class DriverStep(StrEnum):
    """Steps of the part of the worker that plans epochs, as the driver does, at which it can be struck."""

    PLANNED = "planned"


Step: TypeAlias = EpochStep | DriverStep
STEPS: tuple[Step, ...] = (*EpochStep, *DriverStep)


class Blow(StrEnum):
    """A blow to a process."""

    KILL = "kill"
    FREEZE = "freeze"
    """SIGSTOP; it goes on when the next worker has opened a channel, as a zombie."""


@dataclass(frozen=True, kw_only=True)
class Strike:
    """The worker is struck some time after it has come to a step for the n-th time."""

    step: Step
    nth: int
    blow: Blow
    delay_ms: int


STRIKES: tuple[tuple[Step, Blow], ...] = tuple(product(STEPS, Blow))
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
    hours: float = 0.0
    """So much later than the act before it, by the services' clock: frozen workers have slept, and workers' clocks are wrong."""
    omits: bool = False
    """Listings leave a shard out for a while."""
    drops_channel: bool = False
    is_replayed: bool = False
    """The epoch that was planned last is run again first."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    seed: int
    shards: int
    acts: tuple[Act, ...]
    faults: tuple[Fault, ...]
    liberties: Liberties
    counter_lag_ms: int
    """How long counters trail their tokens."""
    acknowledges_fenced: bool = False
    """True if appends of an earlier opener are acknowledged, and gone."""

    @property
    def may_lose(self) -> bool:
        """True if anything is done that can cost records or proofs."""
        return any(act.drops_channel or act.hours > 1 for act in self.acts)

    @classmethod
    def of(cls, seed: int, without: Collection[str] = ()) -> "Schedule":
        """`without` names what is left out."""
        rng = random.Random(seed)
        shards = rng.choice((1, 1, 2, 3))
        strikes = [_first_strike(seed, rng, shards), *(_strike(rng, shards) for _ in range(rng.randint(0, 2)))]
        split_at = rng.randint(1, len(strikes)) if rng.random() < 0.4 else -1
        loss_at = rng.randint(1, len(strikes)) if rng.random() < 0.2 else -1
        dropped_at = rng.randint(1, len(strikes)) if rng.random() < 0.1 else -1
        is_row_lost = loss_at >= 0  # with its channel gone as well, nothing knows what was committed
        hours = (0.1, 0.1, 23, 25) if "hours-between-workers" not in without else (0.1,)
        acts = [
            Act(
                puts=_puts(rng, least=4 * shards if number == 0 else 0),
                strike=strike,
                page=rng.randint(1, 8),
                epoch_s=rng.choice((0.15, 0.4, 1.0)),
                splits=number == split_at,
                loses_row=number == loss_at,
                hours=rng.choice(hours) if number and rng.random() < 0.2 else 0.0,
                omits=strike is not None and rng.random() < 0.15,
                drops_channel=number == dropped_at and not is_row_lost and "channel-is-dropped" not in without,
                is_replayed=rng.random() < 0.5,
                holds_commits_s=rng.uniform(0.1, 2.0) if strike and rng.random() < 0.15 else 0.0,
            )
            for number, strike in enumerate([*strikes, None])
        ]
        return cls(
            seed=seed,
            shards=shards,
            acts=tuple(acts),
            faults=random_faults(rng),
            liberties=Liberties(
                empty_page_every=rng.choice((None, None, 2, 5)),
                late_end=rng.random() < 0.3 and "late-ends" not in without,
                childless_ends=rng.choice((0, 0, 1)),
                hasty_tip=rng.random() < 0.3 and "hasty-tips" not in without,
            ),
            counter_lag_ms=rng.choice((0, 0, 100, 400)),
            acknowledges_fenced=seed % 3 == 1,
        )


def _first_strike(seed: int, rng: random.Random, shards: int) -> Strike:
    """Seeds in a row have different ones."""
    step, blow = STRIKES[seed % len(STRIKES)]
    return _strike_at(step, blow, rng, shards)


def _strike(rng: random.Random, shards: int) -> Strike:
    return _strike_at(rng.choice(STEPS), rng.choice(list(Blow)), rng, shards)


def _strike_at(step: Step, blow: Blow, rng: random.Random, shards: int) -> Strike:
    most = shards if step in ONCE_A_SHARD else 1 if step is EpochStep.DEAD_LETTERED else 2
    return Strike(step=step, nth=rng.randint(1, most), blow=blow, delay_ms=rng.choice((0, 0, 20, 120)))


def _puts(rng: random.Random, *, least: int) -> tuple[Fate, ...]:
    """The first act has something of everything, so that every step is reached."""
    some = rng.choices(list(Fate), [8, 1, 2], k=rng.randint(least, least + 12))
    return (*Fate, *some) if least else tuple(some)
