"""A run that is interrupted removes what it has made, goes on doing so through a second Ctrl-C, and reports it."""

import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.tools.beliefs import PAGE
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.live import recordings
from tests.live.embedded import variables_of
from tests.live.sweep_aws import left_in_aws
from tests.live.verdicts import BELIEVED
from tests.live.whole import Whole

pytestmark = pytest.mark.contract


@pytest.fixture
def whole(local_environment: RunningEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Whole]:
    variables = {**variables_of(local_environment), "AWS_REGION": local_environment.endpoints.region}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    page = tmp_path / "beliefs.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    begun = Whole.begun(tmp_path / "work", variables, minutes=5, record=None, say=lambda _: None, page=page)
    yield begun
    begun.lock.close()


def test_a_second_interrupt_does_not_end_the_removal(
    whole: Whole, local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws, said = cache(EmbeddedAccounts(local_environment).aws), list[str]()

    def interrupted(self: Whole) -> None:
        aws("s3").create_bucket(Bucket=f"{self.run.aws}-asked")
        aws("s3").put_object(Bucket=f"{self.run.aws}-asked", Key="a", Body=b"b")
        os.kill(os.getpid(), signal.SIGINT)

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("FAILED"):
            said.append("again")
        if line == "sweep" and "again" in said:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Whole, "_ask_aws", interrupted)
    again = Whole(**{**vars(whole), "say": say})
    assert again.go(["aws"]) == 1
    assert "FAILED: KeyboardInterrupt" in said
    assert [each for each in said if "still removing" in each]
    assert list(left_in_aws(aws, whole.run.__eq__)) == []
    report = (whole.work / f"report-{whole.run.environment}.md").read_text(encoding="utf-8")
    assert "aws: FAILED: KeyboardInterrupt" in report
    assert "removed: everything that was made" in report


def test_what_was_answered_goes_into_the_page(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    believed = recordings.read(BELIEVED)["aws"]
    monkeypatch.setattr(Whole, "_ask_aws", lambda self: self._keep("aws", believed))
    assert whole.go(["aws"]) == 0
    assert whole.page is not None
    text = whole.page.read_text(encoding="utf-8")
    assert "| B101 |" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| B101 |"))
    assert "answered by an account on " in row
    assert "aws: runs: the same token and request again" in row
