"""Policies that say the same, however AWS writes them down."""

from typing import Any

import pytest

from firnline_infra.blueprint.iam.normal_form import same_policy

READ = {"Sid": "Read", "Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}
WRITE = {
    "Sid": "Write",
    "Effect": "Allow",
    "Action": ["s3:PutObject"],
    "Resource": ["a", "b"],
    "Condition": {"StringEquals": {"aws:RequestTag/Sid": ["x"]}},
}
POLICY = {"Version": "2012-10-17", "Statement": [READ, WRITE]}


def written(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"Statement": list(statements)}


@pytest.mark.parametrize(
    "other",
    [
        written(WRITE, READ),
        written({**READ, "Action": READ["Action"][::-1]}, WRITE),
        written(READ, {**WRITE, "Action": "s3:PutObject", "Resource": ["b", "a"]}),
        written({**READ, "Sid": "Renamed"}, WRITE),
    ],
)
def test_order_names_and_lists_of_one_say_nothing(other: dict[str, Any]) -> None:
    assert same_policy(POLICY, other)


@pytest.mark.parametrize(
    "other",
    [
        written(READ),
        written(READ, WRITE, WRITE),
        written({**READ, "Effect": "Deny"}, WRITE),
        written(READ, {**WRITE, "Condition": {"StringEquals": {"aws:RequestTag/Sid": ["y"]}}}),
        written(READ, {**WRITE, "Condition": {"StringEquals": {"Sid": ["x"]}}}),
    ],
)
def test_what_is_allowed_otherwise_is_another_policy(other: dict[str, Any]) -> None:
    assert not same_policy(POLICY, other)


def test_one_statement_may_stand_without_a_list() -> None:
    assert same_policy(written(READ), {"Statement": READ})
