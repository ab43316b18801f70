"""A whole run: sweep, ask, live, sweep, whatever becomes of the parts. One folder a run, locked as long as its process lives."""

import fcntl
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from firnline_infra.keys.pair import new_pair
from firnline_ingest.snowflake.key import SigningKey
from tests.live import recordings
from tests.live.accounts import account_of, administrator, aws, session, url_of
from tests.live.life import Life
from tests.live.names import Run
from tests.live.questions import aws as questions_of_aws
from tests.live.questions import redshift as questions_of_redshift
from tests.live.questions import snowflake as questions_of_snowflake
from tests.live.questions import streaming
from tests.live.questions.snowflake import run_statement
from tests.live.sweep import left_in_snowflake, swept
from tests.live.sweep_aws import left_in_aws

ROOT = Path(__file__).parents[2]
OVER_AFTER_S = 6 * 3600
"""Of a run on another machine: no budget is as long."""
LOCK = "alive"
Say = Callable[[str], None]


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

    @classmethod
    def begun(cls, work: Path, variables: Mapping[str, str], *, minutes: float, record: Path | None, say: Say) -> Self:
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
            "AWS_REGION": variables.get("AWS_REGION") or variables.get("AWS_DEFAULT_REGION", ""),
        }
        ends_at = time.monotonic() + minutes * 60
        return cls(run=run, work=work, variables=own, ends_at=ends_at, record=record, say=say, lock=lock)

    def go(self, steps: Sequence[str]) -> int:
        """The exit status. What was made is removed whatever happens; a kill leaves it to the next run."""
        status = 0
        parts = {
            "snowflake": self._ask_snowflake,
            "aws": self._ask_aws,
            "redshift": self._ask_redshift,
            "contract": self._keep_the_contract,
            "life": self._live,
        }
        if not self._sweep(lambda run: run != self.run and self._is_over(run)):
            self._forget_what_is_over()
        try:
            for name in (each for each in parts if each in steps):
                self.say(name)
                parts[name]()
        except (Exception, KeyboardInterrupt) as error:
            self.say(f"FAILED: {error or type(error).__name__}")
            status = 1
        finally:
            kept = self._sweep(lambda run: run == self.run)
        shutil.rmtree(self.work / self.run.environment)
        return 1 if kept else status

    def _ask_snowflake(self) -> None:
        key = new_pair()
        opened = session(self.variables, account_of(self.variables))

        def as_user(user: str, role: str) -> Any:
            return opened(user, role, key.private_pem)

        with closing(self._administrator()) as asking:
            answers = questions_of_snowflake.asked(asking, as_user, self.run, key.public_key)
            database, account = questions_of_snowflake.database_of(self.run), account_of(self.variables)
            jwt = SigningKey(key.private_pem, "the run's").token(account, f"{database}_USER")
            answers |= streaming.asked(url_of(self.variables, account), jwt, database, partial(run_statement, asking))
        self._keep("snowflake", answers)

    def _ask_aws(self) -> None:
        self._keep("aws", questions_of_aws.asked(aws(self._region), self.run, self._region))

    def _ask_redshift(self) -> None:
        self._keep("redshift", questions_of_redshift.asked(aws(self._region), self.run, self._region))

    def _keep(self, asked_of: str, answers: dict[str, Any]) -> None:
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

    def _live(self) -> None:
        life = Life(
            run=self.run,
            folder=self.work / self.run.environment,
            variables=self.variables,
            region=self._region,
            snowflake_account=account_of(self.variables),
            seconds_left=self._seconds_left,
            say=self.say,
            held=(self.lock.fileno(),),
        )
        ended = life.live()
        self.say(f"life: {', '.join(f'{name} {status}' for name, status in ended.items())}")

    def _sweep(self, is_over: Callable[[Run], bool]) -> list[str]:
        """What could not be removed."""
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
