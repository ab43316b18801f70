from collections.abc import Callable
from typing import Any

import pytest

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
KEY = "arn:aws:kms:eu-central-1:123456789012:key/8c0f4b5e"


def test_a_bucket_is_left_out_where_the_engine_runs_here_and_nothing_lasts(problems: Problems, aws: Part) -> None:
    skip, nobody = {"origin": "skip"}, {"trust": "nobody"}
    assert problems(aws=aws(bucket=skip, runtime=nobody), durability="EPHEMERAL") == []
    (problem,) = problems(aws=aws(bucket=skip, runtime=nobody))
    assert "durability: PROTECTED needs 'create' or 'adopt'" in problem
    (problem,) = problems(aws=aws(bucket=skip), durability="EPHEMERAL")
    assert "without a place that emr-serverless reaches" in problem
    (problem,) = problems(aws=aws(bucket={**skip, "name": "mine"}, runtime=nobody), durability="EPHEMERAL")
    assert problem.startswith("aws.bucket.name: belongs to")


@pytest.mark.parametrize("trust", ["static-keys", "nobody"])
def test_a_role_is_named_where_one_is_made(problems: Problems, aws: Part, trust: str) -> None:
    (problem,) = problems(aws=aws(runtime={"trust": trust, "role": "engine"}))
    assert problem.startswith(f"aws.runtime.role: no role is made with trust: {trust}")
    assert problems(aws=aws(runtime={"role": "engine"})) == []


def test_what_is_adopted_is_named_and_left_as_it_is(problems: Problems, aws: Part) -> None:
    found = problems(
        aws=aws(key={"origin": "adopt"}, bucket={"origin": "adopt"}),
        streams=[
            {"name": "orders", "origin": "adopt", "shards": 2},
            {"name": "clicks", "key_arn": KEY},
            {"name": "none", "origin": "skip"},
        ],
    )
    assert [problem.partition(" (")[0] for problem in found] == [
        "aws.key: give arn with origin: adopt, and only then",
        "aws.bucket: give the name of the bucket to adopt",
        "streams[0]: origin: adopt leaves the stream as it is; remove shards",
        "streams[1]: key_arn belongs to origin: adopt; a stream that is made has the environment's key",
        "streams[2]: a stream is created or adopted; without one there is nothing to read",
    ]
    assert problems(streams=[{"name": "orders", "origin": "adopt", "key_arn": KEY, "consumers": ["fraud"]}]) == []
