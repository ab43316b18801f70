"""A policy that IAM would refuse for its length is refused before anything is made."""

from dataclasses import replace

import pytest

from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.blueprint.iam.length import ADVICE, LIMITS, check_policy_length, policy_length
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
    """Everything is a key of the customer's on all that there is, and a bucket."""
    check_policy_length(engine_statements(with_streams(everything, 15)), kind="user", name="engine", source="prod.yaml")
    with pytest.raises(ConfigError, match=r"user engine(.|\n)*6144(.|\n)*fewer streams(.|\n)*aws\.runtime\.trust"):
        check_policy_length(
            engine_statements(with_streams(everything, 30)), kind="user", name="engine", source="prod.yaml"
        )


def test_what_is_not_known_yet_is_counted_as_long(everything: EngineAccess) -> None:
    unknown = replace(everything, secret_key=Reference("key"))
    assert policy_length(engine_statements(unknown)) > policy_length(engine_statements(everything))
    assert LIMITS == {"role": 10_240, "user": 6_144, "boundary": 6_144}
    assert ADVICE.keys() == LIMITS.keys()
