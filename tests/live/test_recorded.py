"""Tests of what an account has answered, held against the embedded environment; and that both ways of asking can be
asked at all.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_local.running import RunningEnvironment
from tests.live import recordings
from tests.live.life import commands
from tests.live.questions import environment, snowflake
from tests.live.rehearsal import answers_of
from tests.live.rehearsed_life import answers_of_the_life
from tests.live.verdicts import BELIEVED

pytestmark = pytest.mark.contract

KNOWN: tuple[str, ...] = ()
"""Questions that the emulation answers otherwise on purpose; docs/design/beliefs.md says so (differs)."""


@pytest.fixture(scope="module")
def answered(local_environment: RunningEnvironment) -> Iterator[dict[str, Any]]:
    """Yields what the embedded environment says; nothing of it stays."""
    with answers_of(local_environment) as answers:
        yield answers


@pytest.mark.parametrize("part", ["snowflake", "aws", "redshift"])
def test_what_is_believed_is_what_the_embedded_environment_answers(answered: dict[str, Any], part: str) -> None:
    """`python -m tests.live.rehearsal` writes it anew."""
    believed = recordings.read(BELIEVED)[part]
    assert not recordings.differences(believed, json.loads(json.dumps(answered[part])))
    assert set(believed) == set(answered[part])


def test_what_is_believed_of_an_environment_is_what_its_roles_see_here(
    local_environment: RunningEnvironment, tmp_path: Path
) -> None:
    """Beside it is what each command of a whole life ended with: `scripts/live --embedded --only life --record …` writes both."""
    believed = recordings.read(BELIEVED)["life"]
    lived = commands("live")
    assert set(believed) == {*lived, *(each.name for each in environment.QUESTIONS)}
    assert [name for name, command in lived.items() if believed[name] not in command.expected] == []
    answered = json.loads(json.dumps(answers_of_the_life(local_environment, tmp_path)))
    assert not recordings.differences(believed, answered)
    assert set(answered) == {each.name for each in environment.QUESTIONS}


def test_every_question_has_an_answer_without_a_name_of_the_run(answered: dict[str, Any]) -> None:
    assert set(answered["snowflake"]) >= {each.name for each in snowflake.QUESTIONS}
    assert "LIVE" not in str(answered).upper().replace("<RUN>", "")


def test_what_the_engine_rests_on_is_asked(answered: dict[str, Any]) -> None:
    """The riskiest beliefs that the embedded service's answers show to be asked the right way."""
    said = answered["snowflake"]
    assert said["streaming: the same request again"]["is the first answer"] is True
    assert said["streaming: rows of one that was sent twice"] == 1
    assert said["streaming: another request with a used token"]["status"] == 200
    assert said["streaming: an append after the table was replaced"]["status"] == 200
    assert said["streaming: the status after the table was replaced"] is False


def test_what_the_views_of_redshift_rest_on_is_asked(answered: dict[str, Any]) -> None:
    """Each statement of the product's is taken, each system view has a row of what was made, and the schedule is counted."""
    said = answered["redshift"]
    assert [each for each in ("schema", "view", "refresh", "given away") if said[each] != {"taken": True}] == []
    assert [each for each, answer in said.items() if isinstance(answer, dict) and answer.get("any_rows") is False] == []
    assert [each for each, answer in said.items() if answer is False] == []
    assert {each for each, answer in said.items() if isinstance(answer, dict) and "text" in answer} == {
        *("refresh of a record that is not JSON", "a stream that is missing", "a stream by itself"),
    }


def test_what_an_account_said_is_what_the_embedded_one_says(answered: dict[str, Any]) -> None:
    recorded = recordings.read()
    found = [
        each for asked_of in recorded for each in recordings.differences(recorded[asked_of], answered[asked_of], KNOWN)
    ]
    assert not found, "\n".join(map(str, found))


def test_that_no_account_was_asked_is_said_as_long_as_it_is_so() -> None:
    text = (recordings.RECORDED / "README.md").read_text(encoding="utf-8")
    assert ("None yet" in text) == (recordings.read() == {})


def test_an_answer_that_is_another_one_is_found(answered: dict[str, Any], tmp_path: Path) -> None:
    """Recordings of an account that said the same but for one code."""
    recordings.write(tmp_path, "snowflake", answered["snowflake"])
    recordings.write(tmp_path, "aws", answered["aws"])
    recordings.write(tmp_path, "redshift", answered["redshift"])
    recorded = recordings.read(tmp_path)
    assert not any(recordings.differences(recorded[each], answered[each]) for each in answered)
    recorded["snowflake"]["out of sight: select"]["code"] = 1
    (found,) = recordings.differences(recorded["snowflake"], answered["snowflake"])
    assert found.question == "out of sight: select"
