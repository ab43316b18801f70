import pytest

from firnline_infra.blueprint.bootstrap.policies import MOST_RESOURCES, split
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.length import MANAGED, policy_length


def statement(number: int, resources: int) -> PolicyStatement:
    arns = tuple(f"arn:aws:kinesis:eu-central-1:123456789012:stream/orders-{each}" for each in range(resources))
    return PolicyStatement(sid=f"Own{number}", actions=("kinesis:GetRecords",), resources=arns)


@pytest.mark.parametrize("resources", [1, MOST_RESOURCES, MOST_RESOURCES + 1, 300])
def test_no_policy_is_longer_than_aws_takes_and_nothing_is_lost(resources: int) -> None:
    statements = tuple(statement(number, resources) for number in range(4))
    policies = split(statements)
    assert all(policy_length(policy) <= MANAGED for policy in policies)
    parts = [part for policy in policies for part in policy]
    assert sorted(arn for part in parts for arn in part.resources) == sorted(
        arn for each in statements for arn in each.resources
    )
    assert len({part.sid for part in parts}) == len(parts)


def test_what_fits_into_one_policy_stays_one() -> None:
    statements = (statement(0, 2), statement(1, 2))
    assert split(statements) == (statements,)
