"""Seeded roll-outs, with a standby and without, among whatever may happen to engines, deployers and the ledger."""

import os
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from firnline_infra.rollout.errors import RolloutFailed
from firnline_ingest.errors import FirnlineError
from tests.chaos.simulated.rolling import STANDBY_S, Job, Rolling
from tests.chaos.simulated.simulation import Actor

pytestmark = pytest.mark.chaos

STORIES = int(os.environ.get("FIRNLINE_TEST_ROLLS", "12"))
SETTLES_S = 3 * STANDBY_S
"""Longer than any bound of a deployer or an engine."""
UNABLE = 0.4
"""Of the jobs, whose image can't be pulled."""
IMAGE = 'pod d: ImagePullBackOff: Back-off pulling image "registry.acme.com/firnline:tpyo": not found'
LOOK_S, LATE_S = 60.0, 3600.0


@dataclass
class Story:
    seed: int
    ended: list[str] = field(default_factory=list)
    """How each deploy ended."""
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng, self.rolling = random.Random(self.seed), Rolling(self.seed)
        self.deployers: list[Actor] = []

    def play(self) -> "Story":
        self.rolling.unable = {digit * 64: IMAGE for digit in "bc" if self.rng.random() < UNABLE}
        self._deploy(Job("a" * 64, stands_by=True))
        self.rolling.simulation.run_until(200.0)
        for digit in self.rng.choices("bcdab", k=self.rng.randint(2, 4)):
            self._deploy(Job(digit * 64, stands_by=self.rng.random() < 0.8))
            self._trouble()
        self._calm()
        final = Job("f" * 64, stands_by=self.rng.random() < 0.8)
        self._deploy(final)
        until_s = self.rolling.simulation.now_s + LATE_S
        while not self.deployers[-1].is_over and self.rolling.simulation.now_s < until_s:
            self._pass(LOOK_S)
        self._judge(final)
        for actor in list(self.rolling.simulation.actors):
            actor.kill()
        return self

    def _deploy(self, job: Any) -> None:
        def deploy() -> None:
            try:
                self.rolling.roll_out().deploy(job)
            except RolloutFailed as failed:
                self.ended.append(f"{job.hash[:1]}: {failed.what}")
                if "Nothing was stopped" in failed.what:
                    self._was_left_alone(failed.what)
            except FirnlineError as error:
                self.ended.append(f"{job.hash[:1]}: {error.what}")
            else:
                self.ended.append(f"{job.hash[:1]}: good")

        self.deployers.append(self.rolling.simulation.start(deploy))

    def _was_left_alone(self, said: str) -> None:
        named = next(each for each in self.rolling.started if f"run {each.run.id} (" in said)
        if named.cancelled_s is not None:
            self.problems.append(f"{said} It was cancelled, though.")

    def _trouble(self) -> None:
        for _ in range(self.rng.randint(1, 5)):
            self._pass(self.rng.uniform(0.5, 60.0))
            self.rng.choice(
                (self._kill_a_deployer, self._freeze_a_deployer, self._crash, self._freeze, self._ledger_is_down)
            )()

    def _pass(self, seconds: float) -> None:
        self.rolling.simulation.run_until(self.rolling.simulation.now_s + seconds)

    def _kill_a_deployer(self) -> None:
        for actor in self._living():
            actor.kill()
            self.rolling.simulation.actors.remove(actor)

    def _freeze_a_deployer(self) -> None:
        for actor in self._living()[-1:]:
            actor.is_frozen = True

    def _crash(self) -> None:
        for each in self.rolling.active():
            if each.programs and self.rng.random() < 0.5:
                self.rolling.kill(each.programs[-1])

    def _freeze(self) -> None:
        for each in self.rolling.active():
            if each.programs and self.rng.random() < 0.5:
                self._for_a_while(each.programs[-1].actor)

    def _for_a_while(self, actor: Actor) -> None:
        actor.is_frozen = True
        self._pass(self.rng.uniform(1.0, 40.0))
        actor.is_frozen = False

    def _ledger_is_down(self) -> None:
        trouble = self.rolling.ledger.trouble
        trouble.is_down, trouble.lost = True, self.rng.choice((0.0, 0.05))
        self._pass(self.rng.uniform(1.0, 30.0))
        trouble.is_down = False

    def _living(self) -> list[Actor]:
        return [actor for actor in self.deployers if not actor.is_over and actor in self.rolling.simulation.actors]

    def _calm(self) -> None:
        """Whoever was frozen goes on, and everybody comes to an end."""
        self.rolling.ledger.trouble.lost = 0.0
        for actor in self.rolling.simulation.actors:
            actor.is_frozen = False
        self._pass(SETTLES_S)

    def _judge(self, final: Job) -> None:
        self.problems += self.rolling.problems
        active, engine = self.rolling.active(), self.rolling.memory.current_run()
        if [each.run.hash for each in active] != [final.hash]:
            self.problems.append(f"{[each.run for each in active]} run, and {final.hash[:1]} should")
        if engine is None or engine.configuration != final.hash:
            self.problems.append(f"{engine} holds the application")
        if good := [each for each in self.ended if each.endswith(": good") and each[0] * 64 in self.rolling.unable]:
            self.problems.append(f"deploys of an image that can't be pulled ended well: {good}")
        if self.ended[-1] != "f: good":
            self.problems.append(f"the last deploy ended: {self.ended[-1]}")


@pytest.mark.timeout(300)
def test_a_deploy_after_any_trouble_leaves_one_engine_and_the_right_one() -> None:
    """FIRNLINE_TEST_ROLLS=1000 plays so many."""
    failed, ended = {}, list[str]()
    for seed in range(STORIES):
        story = Story(seed).play()
        ended += story.ended
        if story.problems:
            failed[seed] = (story.problems, story.ended)
    assert failed == {}
    ways = {each.partition(": ")[2] == "good" for each in ended}
    assert ways == {True, False}, "else they would show nothing"


def test_a_story_is_the_same_when_it_is_played_again() -> None:
    first, again = Story(3).play(), Story(3).play()
    assert (first.ended, first.problems) == (again.ended, again.problems)
