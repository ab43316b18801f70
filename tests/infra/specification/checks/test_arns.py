from collections.abc import Callable
from typing import Any

import pytest

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
KEY = "arn:aws:kms:{region}:{account}:key/8c0f4b5e"
TOPIC = "arn:aws:sns:{region}:{account}:oncall"
SECRET = "arn:aws:secretsmanager:{region}:{account}:secret:key-a1B2c3"
HERE = {"region": "eu-central-1", "account": "123456789012"}


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        ({"region": "eu-west-1"}, "is of region eu-west-1; expected eu-central-1, as in aws.region."),
        ({"account": "210987654321"}, "is of account 210987654321; expected 123456789012, as in aws.account."),
    ],
)
def test_an_arn_of_elsewhere_is_refused_wherever_it_is_given(
    problems: Problems, aws: Part, snowflake: Part, elsewhere: dict[str, str], expected: str
) -> None:
    def document(place: dict[str, str]) -> dict[str, Any]:
        return {
            "aws": aws(key={"origin": "adopt", "arn": KEY.format(**place)}),
            "streams": [{"name": "orders", "origin": "adopt", "key_arn": KEY.format(**place)}],
            "alarms": {"topics": [TOPIC.format(**place)]},
            "snowflake": snowflake(ingest={"secret_arn": SECRET.format(**place)}),
        }

    assert problems(**document(HERE)) == []
    paths = ["aws.key.arn", "streams[0].key_arn", "alarms.topics[0]", "snowflake.ingest.secret_arn"]
    assert problems(**document({**HERE, **elsewhere})) == [f"{path}: {expected}" for path in paths]


def test_a_boundary_is_of_this_account_or_of_aws_itself(problems: Problems, aws: Part) -> None:
    for owner, found in {"123456789012": 0, "aws": 0, "210987654321": 1}.items():
        policy = f"arn:aws:iam::{owner}:policy/fence"
        assert len(problems(aws=aws(permissions_boundary=policy))) == found


def test_an_arn_is_of_the_partition_of_its_region(problems: Problems, aws: Part) -> None:
    (problem,) = problems(aws=aws(region="cn-north-1"))
    assert problem == "aws.partition: 'aws' does not have the region cn-north-1; expected 'aws-cn'."
    assert problems(aws=aws(region="us-gov-west-1", partition="aws-us-gov")) == []
    (problem,) = problems(aws=aws(permissions_boundary="arn:aws-cn:iam::123456789012:policy/fence"))
    assert problem.endswith("is of partition aws-cn; expected aws, as in aws.partition.")
