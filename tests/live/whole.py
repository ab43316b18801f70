"""A whole run: sweep, ask, live, sweep, whatever becomes of the parts. One folder a run, locked as long as its process lives."""

import fcntl
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from firnline_infra.keys.pair import new_pair
from firnline_ingest.snowflake.key import SigningKey
from tests.live import recordings, verdicts
from tests.live.accounts import account_of, administrator, aws, session, url_of
from tests.live.job_life import JobLife
from tests.live.life import Life
from tests.live.names import Run
from tests.live.questions import aws as questions_of_aws
from tests.live.questions import redshift as questions_of_redshift
from tests.live.questions import snowflake as questions_of_snowflake
from tests.live.questions import streaming
from tests.live.questions.snowflake import rows_of_statement, run_statement
from tests.live.sweep import left_in_snowflake, swept
from tests.live.sweep_aws import left_in_aws

ROOT = Path(__file__).parents[2]
OVER_AFTER_S = 6 * 3600
"""Of a run on another machine: no budget is as long."""
LOCK = "alive"
Say = Callable[[str], None]
SomeLife = TypeVar("SomeLife", bound=Life)


@contextmanager
def uninterrupted(say: Say) -> Iterator[None]:
    """Goes on through Ctrl-C and SIGTERM: what was made has to go. A kill leaves it to the next run."""

    def told(number: int, _frame: Any) -> None:
        say(f"still removing what was made; {signal.Signals(number).name} ends nothing here")

    before = {number: signal.signal(number, told) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True, kw_only=True)
class Whole:
    run: Run
    work: Path
    variables: Mapping[str, str]
    ends_at: float
    record: Path | None
    say: Say
    lock: Any
    """Held open; the kernel gives it back when this process ends, however it does."""
    reports: Path | None = None
    """The folder of reports; that of the work where absent."""
    page: Path | None = None
    """The page of beliefs that is to say what was answered; None where no account was asked."""
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By what was asked, then by question."""
    told: list[str] = field(default_factory=list)
    """What was done and is left, for the report."""

    @classmethod
    def begun(
        cls,
        work: Path,
        variables: Mapping[str, str],
        *,
        minutes: float,
        record: Path | None,
        say: Say,
        page: Path | None = None,
        reports: Path | None = None,
    ) -> Self:
        import boto3

        run = Run(int(time.time()))
        (work / run.environment).mkdir(parents=True)
        lock = (work / run.environment / LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = work / run.environment / "state"
        state.mkdir()
        own = {
            **variables,
            "PULUMI_BACKEND_URL": f"file://{state}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "AWS_REGION": variables.get("AWS_REGION") or str(boto3.Session().region_name or ""),
        }
        ends_at = time.monotonic() + minutes * 60
        return cls(
            run=run,
            work=work,
            variables=own,
            ends_at=ends_at,
            record=record,
            say=say,
            lock=lock,
            page=page,
            reports=reports,
        )

    def go(self, steps: Sequence[str]) -> int:
        """The exit status. What was made is removed whatever happens; a kill leaves it to the next run."""
        status = 0
        parts = {
            "snowflake": self._ask_snowflake,
            "aws": self._ask_aws,
            "redshift": self._ask_redshift,
            "contract": self._keep_the_contract,
            "life": self._live,
            "job": self._live_as_a_job,
        }
        if not self._sweep(lambda run: run != self.run and self._is_over(run)):
            self._forget_what_is_over()
        try:
            for name in (each for each in parts if each in steps):
                self.say(name)
                parts[name]()
                self.told.append(f"{name}: done")
        except (Exception, KeyboardInterrupt) as error:
            self.say(f"FAILED: {str(error) or type(error).__name__}")
            self.told.append(f"{name}: FAILED: {type(error).__name__}")
            status = 1
        finally:
            with uninterrupted(self.say):
                kept = self._sweep(lambda run: run == self.run)
                self.told.append(f"NOT removed: {'; '.join(kept)}" if kept else "removed: everything that was made")
                self._report()
        shutil.rmtree(self.work / self.run.environment)
        return 1 if kept else status

    def _report(self) -> None:
        """One page of what was asked and answered, and the page of beliefs with it."""
        day = datetime.fromtimestamp(self.run.began_s, UTC).date()
        found = verdicts.verdicts(self.answers, recordings.read(verdicts.BELIEVED))
        heading = "What two accounts answered" if self.page else "What the embedded environment answered"
        folder = self.reports or self.work
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"report-{self.run.environment}.md"
        text = verdicts.report(found, self.answers, day=day, heading=heading, lines=self.told)
        file.write_text(text, encoding="utf-8")
        self.say(f"report: {file}")
        if self.page is not None:
            before = self.page.read_text(encoding="utf-8")
            self.page.write_text(verdicts.updated(before, found, day), encoding="utf-8")
            self.say(f"updated: {self.page}")

    def _ask_snowflake(self) -> None:
        key, other = new_pair(), new_pair()
        opened = session(self.variables, account_of(self.variables))

        def as_user(pem: str, user: str, role: str) -> Any:
            return opened(user, role, pem)

        with closing(self._administrator()) as asking:
            own, stranger = (partial(as_user, each.private_pem) for each in (key, other))
            answers = questions_of_snowflake.asked(asking, own, stranger, self.run, key.public_key)
            database, account = questions_of_snowflake.database_of(self.run), account_of(self.variables)
            jwt = SigningKey(key.private_pem, "the run's").token(account, f"{database}_USER")
            execute, query = partial(run_statement, asking), partial(rows_of_statement, asking)
            with closing(own(f"{database}_USER", f"{database}_INGEST")) as user:
                answers |= streaming.asked(url_of(self.variables, account), jwt, database, execute, query, user)
        self._keep("snowflake", answers)

    def _ask_aws(self) -> None:
        self._keep("aws", questions_of_aws.asked(aws(self._region), self.run, self._region))

    def _ask_redshift(self) -> None:
        self._keep("redshift", questions_of_redshift.asked(aws(self._region), self.run, self._region))

    def _keep(self, asked_of: str, answers: dict[str, Any]) -> None:
        self.answers[asked_of] = answers
        for each in recordings.differences(recordings.read().get(asked_of, {}), answers):
            self.say(f"another answer than the recorded one: {each}")
        if self.record is not None:
            self.say(f"recorded: {recordings.write(self.record, asked_of, answers)}")

    def _keep_the_contract(self) -> None:
        self.say("$ pytest tests/contract/ledger")
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:randomly",
                "tests/contract/ledger",
                "-k",
                "dynamodb",
            ],
            cwd=ROOT,
            env={**self.variables, "FIRNLINE_LIVE_TABLE": f"{self.run.aws}-ledger"},
            check=True,
            timeout=self._seconds_left(),
        )
        self._keep("contract", {"the ledger on DynamoDB": "as the contract says"})

    def _live_as_a_job(self) -> None:
        life = self._a_life(JobLife, self.work / self.run.environment / "job")
        ended = life.live()
        self.say(f"job: {', '.join(f'{name} {status}' for name, status in ended.items())}")
        self._keep("job", ended)

    def _a_life(self, kind: type[SomeLife], folder: Path) -> SomeLife:
        return kind(
            run=self.run,
            folder=folder,
            variables=self.variables,
            region=self._region,
            snowflake_account=account_of(self.variables),
            seconds_left=self._seconds_left,
            say=self.say,
            held=(self.lock.fileno(),),
        )

    def _live(self) -> None:
        life = self._a_life(Life, self.work / self.run.environment)
        ended = life.live()
        self.say(f"life: {', '.join(f'{name} {status}' for name, status in ended.items())}")
        self._keep("life", {**ended, **life.answers})

    def _sweep(self, is_over: Callable[[Run], bool]) -> list[str]:
        """Returns what could not be removed."""
        self.say("sweep")
        _, of_aws = swept(left_in_aws(aws(self._region), is_over), self.say)
        with closing(self._administrator()) as asking:
            _, of_snowflake = swept(left_in_snowflake(asking, is_over), self.say)
        return of_aws + of_snowflake

    def _forget_what_is_over(self) -> None:
        """The folders of runs whose things are gone: Pulumi's state with them."""
        for folder in self.work.iterdir():
            run = Run.of(f"firnline-{folder.name}")
            if run and run != self.run and self._is_over(run):
                shutil.rmtree(folder)

    def _is_over(self, run: Run) -> bool:
        """A run of this machine is over when nobody holds its lock; any other one after six hours."""
        try:
            with (self.work / run.environment / LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return time.time() - run.began_s > OVER_AFTER_S
        except BlockingIOError:
            return False
        return True

    def _administrator(self) -> Any:
        return administrator(self.variables, account_of(self.variables))

    def _seconds_left(self) -> float:
        return max(self.ends_at - time.monotonic(), 1.0)

    @property
    def _region(self) -> str:
        return self.variables["AWS_REGION"]
