import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_infra.pulumi.snowflake import retry

YOUNG_ROLE = "Error assuming AWS_ROLE: User arn:… is not authorized to perform: sts:AssumeRole"


def test_a_role_that_aws_does_not_know_yet_is_waited_for() -> None:
    assert retry.can_pass("create", [YOUNG_ROLE])


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
    assert not retry.can_pass(operation, errors)


def test_nothing_is_waited_for_for_ever() -> None:
    assert retry.can_pass("create", [YOUNG_ROLE] * retry.TRIES)
    assert not retry.can_pass("create", [YOUNG_ROLE] * (retry.TRIES + 1))


def test_there_is_a_pause_before_another_try_and_none_before_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(retry, "asyncio", SimpleNamespace(sleep=sleep))
    failed: Any = SimpleNamespace(failed_operation="create", errors=[YOUNG_ROLE])
    assert asyncio.run(retry.try_again(failed)) is True
    failed.errors = ["Table 'T' already exists."]
    assert asyncio.run(retry.try_again(failed)) is False
    assert pauses == [retry.PAUSE_S]
