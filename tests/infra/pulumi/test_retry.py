import asyncio
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from firnline_infra.pulumi import rendering

YOUNG_ROLE = "Error assuming AWS_ROLE: User arn:… is not authorized to perform: sts:AssumeRole"


REFUSED = """100038: Numeric value '{"success":false,"readResult":"FAILED"}' is not recognized"""


@pytest.mark.parametrize("error", [YOUNG_ROLE, REFUSED])
def test_a_role_that_aws_does_not_know_yet_is_waited_for(error: str) -> None:
    assert rendering.can_pass("create", [error])


@pytest.mark.parametrize(
    ("operation", "errors"),
    [
        ("create", ["SQL compilation error: Table 'T' already exists."]),
        ("update", [YOUNG_ROLE]),
        ("create", []),
        ("create", ["Table 'T' already exists.", YOUNG_ROLE]),
    ],
)
def test_what_time_does_not_mend_fails_at_once(operation: str, errors: list[str]) -> None:
    assert not rendering.can_pass(operation, errors)


class Paused:
    """In place of the module's clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        monkeypatch.setattr(rendering, "asyncio", SimpleNamespace(sleep=self._sleep))

    async def _sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


def tried(*errors: str) -> bool:
    failed: Any = SimpleNamespace(name="lake-verify", failed_operation="create", errors=list(errors))
    return asyncio.run(rendering.try_again(failed))


def test_nothing_is_waited_for_for_ever_and_then_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    paused, said = Paused(monkeypatch), list[str]()
    monkeypatch.setattr(pulumi, "error", said.append)
    assert tried(*[YOUNG_ROLE] * rendering.TRIES)
    assert said == []
    assert not tried(*[YOUNG_ROLE] * (rendering.TRIES + 1))
    assert paused.seconds == [rendering.PAUSE_S]
    (told,) = said
    assert "lake-verify failed 13 times" in told
    assert "the role's trust" in told


def test_there_is_a_pause_before_another_try_and_none_before_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = Paused(monkeypatch)
    assert tried(YOUNG_ROLE) is True
    assert tried("Table 'T' already exists.") is False
    assert paused.seconds == [rendering.PAUSE_S]
