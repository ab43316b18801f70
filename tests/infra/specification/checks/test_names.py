from collections.abc import Callable
from typing import Any

import pytest

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]


def test_a_made_up_name_that_is_too_long_says_what_shortens_it(problems: Problems) -> None:
    role, bucket = problems(application="a" * 58)
    assert role == (
        f"application: gives the engine's role the name '{'a' * 58}-engine' of 65 characters; 64 are allowed. "
        "Shorten application by 1, or give aws.runtime.role."
    )
    assert bucket.startswith("application: gives the bucket the name ")
    assert bucket.endswith("of 84 characters; 63 are allowed. Shorten application by 21, or give aws.bucket.name.")


def test_naming_it_outright_is_enough(problems: Problems, aws: Part) -> None:
    named = aws(bucket={"name": "lake"}, runtime={"role": "engine"})
    assert problems(application="a" * 58, aws=named) == []


def test_a_name_that_nothing_has_may_be_long(problems: Problems, aws: Part) -> None:
    bucket = {"name": "lake"}
    assert problems(application="a" * 64, aws=aws(bucket=bucket, runtime={"trust": "nobody"})) == []
    (problem,) = problems(application="a" * 64, aws=aws(bucket=bucket, runtime={"trust": "static-keys"}))
    assert problem.startswith("application: gives the engine's user the name")


def test_the_environment_is_named_where_there_is_no_application(problems: Problems, aws: Part) -> None:
    (problem,) = problems(name="a" * 32, aws=aws(region="ap-southeast-1"))
    assert problem.endswith("of 69 characters; 63 are allowed. Shorten name by 6, or give aws.bucket.name.")


def test_what_a_volume_is_made_of_fits_too(problems: Problems, snowflake: Part, aws: Part) -> None:
    volumes = [{"name": "v" * 60}]
    role, bucket = problems(snowflake=snowflake(external_volumes=volumes))
    assert f"gives the role of {'V' * 60} the name" in role
    assert role.endswith("or give a shorter snowflake.external_volumes[0].name.")
    assert bucket.endswith("or give snowflake.external_volumes[0].bucket.")


def test_the_migration_table_is_named_after_the_ledger(problems: Problems) -> None:
    table = "t" * 246
    assert problems(ledger={"table": table}) == []
    (problem,) = problems(ledger={"table": table, "migration": True})
    assert problem.startswith("ledger.table: gives the migration's table the name")
    assert problem.endswith("256 characters; 255 are allowed. Shorten it by 1.")


def test_dynamodb_wants_three_characters(problems: Problems) -> None:
    (problem,) = problems(application="ab")
    assert problem.startswith("application: gives the ledger the name 'ab'; DynamoDB wants 3 characters at least")
    assert problems(application="ab", ledger={"table": "ab-ledger"}) == []


@pytest.mark.parametrize("name", ["xn--lake", "sthree-lake", "lake-s3alias", "lake--x-s3"])
def test_a_bucket_has_no_name_that_s3_keeps_for_itself(problems: Problems, aws: Part, name: str) -> None:
    (problem,) = problems(aws=aws(bucket={"name": name}))
    assert problem.startswith(f"aws.bucket.name: '{name}' is no name that S3 takes")


def test_a_bucket_that_would_begin_with_a_hyphen_is_told(problems: Problems) -> None:
    (problem,) = problems(application="___")
    assert problem.startswith("aws.bucket.name: '-123456789012-eu-central-1' is no name that S3 takes")


def test_parameters_lie_where_systems_manager_lets_them(problems: Problems) -> None:
    def about(prefix: str) -> list[str]:
        return problems(publication={"ssm_prefix": prefix})

    assert about("/firnline/dev") == []
    assert about("/a" * 14) == []
    (problem,) = about("/a" * 15)
    assert "has 15 levels, and one is added; 15 are allowed" in problem
    (problem,) = about("/AWS-things")
    assert "begin with neither aws nor ssm" in problem
    (problem,) = about("/" + "a" * 960)
    assert "1011 are allowed" in problem
