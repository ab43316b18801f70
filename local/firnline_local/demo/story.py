"""The demo, step by step. Each step prints its numbers; the audit at the end decides the exit status."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_infra.specification import EnvironmentSpec
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.demo.errors import EngineStuck
from firnline_local.demo.events import Producer
from firnline_local.demo.rows import proof_picture
from firnline_local.demo.screen import Screen
from firnline_local.environment import LocalEnvironment

if TYPE_CHECKING:
    from firnline_infra.audit import AuditReport
    from firnline_ingest.dead_letters import DeadLetter
    from firnline_local.running import RunningEnvironment

COMMIT_LAG_MS = 500
PATIENCE_S = 600.0
"""Since the engine's last sign of life: a log line, a record, a row. A busy machine takes minutes for a start of Spark."""
CHECKS = "checks"
"""Below the demo's folder: its audit is the status page's last check."""


@dataclass(slots=True)
class Demo:
    """One run in `folder`; `events` are what the producer sends, the second half while the engine runs."""

    folder: Path
    spec: EnvironmentSpec
    events: Sequence[bytes]
    screen: Screen

    @property
    def stream(self) -> str:
        return self.spec.pipelines[0].stream

    @property
    def table(self) -> str:
        pipeline = self.spec.pipelines[0]
        return f"{pipeline.database}.{pipeline.schema_}.{pipeline.table}"

    def run(self, environment: "RunningEnvironment", config_file: Path) -> "AuditReport":
        """Raises EngineStuck where the engine does not get through."""
        half = len(self.events) // 2
        self._load(environment, self.events[:half])
        with Producer(environment, self.stream, self.events[half:]) as producer:
            at_kill = self._run_until_half(environment, config_file)
            self._run_to_the_end(environment, config_file, producer)
        self._show_rows(environment)
        self._follow_one_record(environment)
        self._show_dead_letters(config_file)
        report = self._audit(environment, config_file)
        self.screen.step("The proof in one picture")
        for line in proof_picture(report, before_the_kill=at_kill, width=self.screen.width):
            self.screen.show(line)
        return report

    def write_config(self, environment: "RunningEnvironment") -> Path:
        document = environment.engine_config(epoch={"seconds": 10, "progress_seconds": 0.5})
        config_file = self.folder / "engine.json"
        config_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        return config_file

    def _load(self, environment: "RunningEnvironment", events: Iterable[bytes]) -> None:
        report = environment.put_events(self.stream, events)
        rate = f"{report.megabytes_per_second:.0f} MB/s"
        shards = self.spec.streams[0].shards
        self.screen.say(f"{report.records:,} events put into {self.stream!r}, {shards} shards, at {rate}")

    def _run_until_half(self, environment: "RunningEnvironment", config_file: Path) -> int:
        """Returns the number of rows in the table when the engine was killed."""
        self.screen.step("The engine starts, and the driver is killed with SIGKILL half-way")
        half_of_the_first = len(self.events) // 4
        with self._engine(environment, config_file, available_now=False) as engine:
            self._watch(environment, engine, until_rows=half_of_the_first)
            engine.kill_driver()
            read, sent = engine.total("records"), engine.total("rows")
            visible = self._count(environment)
            in_flight = f"{sent - visible:,} in flight" if sent > visible else "more since its last log line"
            self.screen.say(f"killed: {read:,} records read, {sent:,} rows sent, {visible:,} visible, {in_flight}")
            return visible

    def _run_to_the_end(self, environment: "RunningEnvironment", config_file: Path, producer: Producer) -> None:
        self.screen.step("It starts again, and takes in all that is there")
        with self._engine(environment, config_file, available_now=True) as engine:
            self._until_started(engine)
            producer.wait()
            self._watch(environment, engine, until_rows=None)
            if engine.exit_status != 0:
                raise EngineStuck(engine.exit_status, list(engine.last_lines))
            self.screen.say(
                f"after the restart: {engine.total('records'):,} records read, {engine.total('rows'):,} rows sent; "
                f"{engine.total('reread_rows'):,} rows were read again that Snowflake had committed already: counted, not sent"
            )

    def _engine(self, environment: "RunningEnvironment", config_file: Path, *, available_now: bool) -> EngineProcess:
        log_file = self.folder / "engine.log"
        return EngineProcess(config_file, environment.variables, available_now=available_now, log_file=log_file)

    def _until_started(self, engine: EngineProcess) -> None:
        started_s = time.monotonic()
        patience = Patience()
        while not engine.started.wait(0.5) and engine.exit_status is None:
            waited_s = time.monotonic() - started_s
            if patience.is_over(engine.lines):
                raise EngineStuck(None, list(engine.last_lines))
            self._say_failures(engine)
            self.screen.live(f"{waited_s:4.0f} s  {_waits_for(engine)}", waits_for=_waits_for(engine))

    def _say_failures(self, engine: EngineProcess) -> None:
        """Says what Spark ended and the engine begins again: on a busy machine this may be the start of a Python process."""
        while engine.failures:
            failed = engine.failures.popleft()
            self.screen.say(f"[{failed['problem']}] {failed['what']} Next: {failed['next_step']}")

    def _watch(self, environment: "RunningEnvironment", engine: EngineProcess, until_rows: int | None) -> None:
        """Shows progress until so many rows are visible, or the engine ends."""
        started_s = time.monotonic()
        before = (0, started_s)
        patience = Patience()
        with closing(environment.connect("reader")) as connection, closing(connection.cursor()) as cursor:
            while engine.exit_status is None:
                ((rows,),) = cursor.execute(f"SELECT COUNT(*) FROM {self.table}").fetchall()
                self._say_failures(engine)
                now_s, sent = time.monotonic(), engine.total("bytes")
                rate = (sent - before[0]) / 1e6 / max(0.1, now_s - before[1])
                before = (sent, now_s)
                lags = engine.lags_ms()
                self.screen.live(
                    f"{now_s - started_s:4.0f} s  {engine.total('records'):>7,} records  {max(0.0, rate):4.1f} MB/s  "
                    f"{rows:>7,} rows visible  lag {max(lags) / 1000:.1f} s"
                    if lags
                    else f"{now_s - started_s:4.0f} s  {_waits_for(engine)}",
                    waits_for=None if lags else _waits_for(engine),
                )
                if until_rows is not None and rows >= until_rows:
                    return
                if patience.is_over((engine.lines, rows)):
                    raise EngineStuck(None, list(engine.last_lines))
                time.sleep(0.5)
        if until_rows is not None:
            raise EngineStuck(engine.exit_status, list(engine.last_lines))

    def _count(self, environment: "RunningEnvironment") -> int:
        _, rows = environment.query(f"SELECT COUNT(*) FROM {self.table}")
        return int(rows[0][0])

    def _show_rows(self, environment: "RunningEnvironment") -> None:
        from firnline_local.demo.rows import METADATA, sample_statement

        self.screen.step("What is in the table now")
        columns = environment.query(f"DESCRIBE TABLE {self.table}")[1]
        added = ", ".join(str(row[0]) for row in columns if row[0] != METADATA)
        self.screen.say(f"the table was created with {METADATA} alone; Snowflake added {added}")
        statement = sample_statement(self.table, columns)
        self.screen.say(statement)
        self.screen.table(*environment.query(statement))
        self.screen.say(f"{self._count(environment):,} rows in {self.table}")

    def _follow_one_record(self, environment: "RunningEnvironment") -> None:
        from firnline_local.demo.rows import followed_record

        self.screen.step("One record, from its place in the stream to its row")
        for line in followed_record(environment, self.stream, self.table):
            self.screen.say(line)

    def _show_dead_letters(self, config_file: Path) -> None:
        from firnline_ingest.config.load import load_config
        from firnline_ingest.dead_letters import open_store

        letters = list(open_store(load_config(config_file)).list())
        self.screen.step(f"{len(letters)} records became dead letters: {reasons_of(letters)}")
        shown = [(letter.reason, letter.sequence_number[-12:], repr(letter.data[:40])) for letter in letters[:5]]
        if shown:
            self.screen.table(("reason", "sequence number ends in", "payload"), shown)

    def _audit(self, environment: "RunningEnvironment", config_file: Path) -> "AuditReport":
        from firnline_infra.audit.report_text import report_text
        from firnline_infra.status.checks import embedded_at, remember_check
        from firnline_ingest.config.load import load_config
        from firnline_local.demo.rows import audit_demo

        self.screen.step("The audit: stream = table + error table + dead letters, values too")
        report = audit_demo(environment, config_file)
        for line in report_text(report).splitlines():
            (self.screen.show if len(line) <= self.screen.width else self.screen.say)(line)
        records = sum(each.totals.records for each in report.pipelines)
        summary = f"{'PROVEN' if report.is_proven else 'not proven'}: {records:,} records"
        config, folder = load_config(config_file), self.folder / CHECKS
        place = embedded_at(config.aws.endpoints, {})
        remember_check(config.application, "audit", report.exit_status, summary, embedded_at=place, folder=folder)
        return report


@dataclass(slots=True)
class Patience:
    """Gives up on an engine that has shown no sign of life for PATIENCE_S, however long the whole takes."""

    sign: object = None
    since_s: float = field(default_factory=time.monotonic)

    def is_over(self, sign: object) -> bool:
        """Returns whether the sign of life has not changed for too long; `sign` is anything that changes with progress."""
        now_s = time.monotonic()
        if sign != self.sign:
            self.sign, self.since_s = sign, now_s
        return now_s - self.since_s > PATIENCE_S


def reasons_of(letters: Sequence["DeadLetter"]) -> str:
    """Returns the number of dead letters of each reason, the commonest first: `300 duplicate-key, 1 not-json`."""
    counted = Counter(str(letter.reason) for letter in letters)
    return ", ".join(f"{number} {reason}" for reason, number in counted.most_common()) or "none"


def _waits_for(engine: EngineProcess) -> str:
    """Says what the engine waits for before it reads, which takes longest on a machine with few cores."""
    if not engine.started.is_set():
        return "Spark starts: a JVM and its Python (20 to 60 s)"
    return "Spark plans; each shard is fenced and its channel opened"


def open_environment(folder: Path, spec: EnvironmentSpec, *, is_provisioned: bool = True) -> LocalEnvironment:
    """The embedded environment as the demo wants it: rows become visible half a second after they were sent."""
    return LocalEnvironment(folder, spec, is_provisioned=is_provisioned, commit_lag_ms=COMMIT_LAG_MS)
