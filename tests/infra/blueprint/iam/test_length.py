"""A policy that IAM would refuse for its length is refused before anything is made, or split over several."""

from dataclasses import replace

import pytest

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.blueprint.iam.length import (
    ADVICE,
    LIMITS,
    MANAGED,
    MOST_RESOURCES,
    check_policy_length,
    policy_length,
    split,
)
from firnline_infra.blueprint.value import Reference
from firnline_ingest.errors import ConfigError


def with_streams(access: EngineAccess, count: int) -> EngineAccess:
    arns = {f"orders-{n}": f"arn:aws:kinesis:eu-central-1:123456789012:stream/orders-{n}" for n in range(count)}
    return replace(access, streams=arns)


def test_a_role_takes_dozens_of_streams_and_then_says_so(everything: EngineAccess) -> None:
    check_policy_length(engine_statements(with_streams(everything, 40)), kind="role", name="engine", source="prod.yaml")
    with pytest.raises(ConfigError, match=r"prod\.yaml(.|\n)*role engine(.|\n)*10240"):
        check_policy_length(
            engine_statements(with_streams(everything, 80)), kind="role", name="engine", source="prod.yaml"
        )


def test_a_user_takes_less_and_says_what_takes_more(everything: EngineAccess) -> None:
    """Everything but registries is a key of the customer's on all that there is, and a bucket."""
    asks_none = replace(everything, asks_glue=False, registry_logins=(), registry_login_keys=())
    check_policy_length(engine_statements(with_streams(asks_none, 15)), kind="user", name="engine", source="prod.yaml")
    with pytest.raises(ConfigError, match=r"user engine(.|\n)*6144(.|\n)*fewer streams(.|\n)*aws\.runtime\.trust"):
        check_policy_length(
            engine_statements(with_streams(everything, 30)), kind="user", name="engine", source="prod.yaml"
        )


def test_what_is_not_known_yet_is_counted_as_long(everything: EngineAccess) -> None:
    unknown = replace(everything, secret_key=Reference("key"))
    assert policy_length(engine_statements(unknown)) > policy_length(engine_statements(everything))
    assert LIMITS == {"role": 10_240, "user": 6_144, "boundary": 6_144}
    assert ADVICE.keys() == LIMITS.keys()


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
