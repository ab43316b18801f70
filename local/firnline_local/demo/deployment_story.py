"""`firnline demo --deploy`: the engine on the embedded EMR Serverless, killed, and rolled while records flow."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firnline_local.demo.deployable import Deployable
from firnline_local.demo.errors import EngineStuck
from firnline_local.demo.events import Producer
from firnline_local.demo.screen import Screen

if TYPE_CHECKING:
    from firnline_infra.audit import AuditReport
    from firnline_infra.rollout.environment import EngineEnvironment
    from firnline_infra.rollout.loop import Deployed

PATIENCE_S = 600.0  # for what takes seconds where the machine has nothing else to do
LOOK_S = 0.3
AFTER = 10  # records that are put once the driver was killed


@dataclass(frozen=True, kw_only=True)
class DemoResult:
    """The figures of the demo."""

    gap_s: float
    """Nothing was read for at most so long while the engine was rolled."""
    attempts: int
    """Of the run whose driver was killed."""
    report: "AuditReport"


@dataclass
class DeploymentStory:
    deployable: Deployable
    events: Sequence[bytes]
    screen: Screen
    kills: bool = True

    def run(self) -> DemoResult:
        """Raises EngineStuck, BuildError or RolloutError where it does not get through."""
        by = "its Pulumi program" if self.deployable.terraform_providers is None else "terraform apply, the real CLI"
        self.screen.step(f"The stack: what the specification asks for, made by {by}")
        self.deployable.prepare()
        engine = self.deployable.up()
        self.screen.step("The engine: built for the release, uploaded, and started as the rendered job")
        first = self._deploy(engine)
        half = len(self.events) // 2
        self.deployable.environment.put_events(self.deployable.name, self.events[:half])
        with Producer(self.deployable.environment, self.deployable.name, self.events[half:]):
            self._wait(lambda: self.deployable.rows() > 0, engine, "rows are in the table")
            if self.kills:
                self._kill(first, engine)
            engine, second = self._roll(engine)
        self.screen.say(f"nothing was read for at most {second.gap_s or 0.0:.0f} s:")
        for phase, seconds in second.phases.items():
            self.screen.say(f"  {seconds:4.0f} s  until {phase.value}")
        letters = self._until_all_is_there(second, engine)
        self.screen.say(f"{self.deployable.rows():,} rows in {self.deployable.table}, {letters} dead letters")
        engine.stop()
        return DemoResult(
            gap_s=second.gap_s or 0.0,
            attempts=len(self.deployable.attempts(first.run.id)),
            report=self._audit(second),
        )

    def _roll(self, _: "EngineEnvironment") -> "tuple[EngineEnvironment, Deployed]":
        self.screen.step("A new configuration is rolled while records flow")
        engine = self._with_another_configuration()
        return engine, self._deploy(engine)

    def _with_another_configuration(self) -> "EngineEnvironment":
        self.deployable.document["epoch"]["seconds"] += 1
        return self.deployable.up()

    def _deploy(self, engine: "EngineEnvironment") -> "Deployed":
        from firnline_infra.artefact import build_cached, target_of_specification

        done = engine.deploy(lambda: build_cached(target_of_specification(engine.spec)))
        self.screen.say(f"run {done.run.id} runs {done.run.hash[:12]}")
        return done

    def _kill(self, deployed: "Deployed", engine: "EngineEnvironment") -> None:
        self.screen.step("The driver is killed with SIGKILL; the service starts it again")
        attempts = self.deployable.attempts(deployed.run.id)
        folder = self.deployable.environment.folder.runtimes / f"{deployed.run.id}-{len(attempts)}"
        os.kill(int((folder / "driver.pid").read_text()), signal.SIGKILL)
        before = self.deployable.rows()
        self._wait(
            lambda: len(self.deployable.attempts(deployed.run.id)) > len(attempts), engine, "there is a new attempt"
        )
        self.screen.say(f"attempt {len(attempts) + 1}, with {before:,} rows in the table")
        self.deployable.environment.put_events(self.deployable.name, [b'{"kind": "after the kill"}'] * AFTER)
        there = f"SELECT COUNT(*) FROM {self.deployable.table} WHERE KIND = 'after the kill'"
        query = self.deployable.environment.query
        self._wait(lambda: query(there, login="admin")[1][0][0] == AFTER, engine, "rows come again")

    def _until_all_is_there(self, deployed: "Deployed", engine: "EngineEnvironment") -> int:
        """Waits until all records are there; returns the number of dead letters."""
        from firnline_ingest.dead_letters import open_store

        store = open_store(self.deployable.configuration(deployed.run.id))
        expected = len(self.events) + (AFTER if self.kills else 0)
        self._wait(
            lambda: self.deployable.rows() + len(list(store.list())) >= expected, engine, "all records are there"
        )
        return len(list(store.list()))

    def _wait(self, condition: Callable[[], bool], engine: "EngineEnvironment", for_what: str) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > give_up_s:
                raise EngineStuck(None, list(engine.log_lines()))
            self.screen.live(f"{self.deployable.rows():>8,} rows visible", waits_for=f"until {for_what}")
            time.sleep(LOOK_S)

    def _audit(self, deployed: "Deployed") -> "AuditReport":
        from firnline_infra.audit import ReaderUser, audit
        from firnline_infra.audit.report_text import report_text

        self.screen.step("The audit: stream = table + error table + dead letters, by position and by content")
        login = self.deployable.environment.logins["admin"]
        reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
        config = self.deployable.configuration(deployed.run.id)
        report = audit(config, reader, content=True)
        for line in report_text(report).splitlines():
            self.screen.say(line)
        return report
