from collections.abc import Callable
from typing import Any

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]


def test_an_iceberg_table_lies_in_a_declared_volume(problems: Problems, pipeline: Part, snowflake: Part) -> None:
    table = pipeline(table_kind="iceberg", external_volume="lake")
    assert problems(pipelines=[table]) == [
        "pipelines[0].external_volume: LAKE is not among snowflake.external_volumes; there is none."
    ]
    assert problems(pipelines=[table], snowflake=snowflake(external_volumes=[{"name": "lakes"}])) == [
        "pipelines[0].external_volume: LAKE is not among snowflake.external_volumes; did you mean 'LAKES'?"
    ]
    assert problems(pipelines=[table], snowflake=snowflake(external_volumes=[{"name": '"LAKE"'}])) == []


def test_volumes_are_told_apart_in_snowflake_and_in_aws(problems: Problems, snowflake: Part) -> None:
    volumes = [{"name": "lake_1"}, {"name": '"LAKE-1"'}, {"name": "LAKE_1"}, {"name": "x", "bucket": "mine"}]
    found = problems(snowflake=snowflake(external_volumes=[*volumes, {"name": "y", "bucket": "mine"}]))
    assert [problem.partition(":")[0] for problem in found] == [
        "snowflake.external_volumes[1].bucket",
        "snowflake.external_volumes[1].name",
        "snowflake.external_volumes[2].name",
        "snowflake.external_volumes[4].bucket",
    ]
    assert "already the bucket of snowflake.external_volumes[0]" in found[0]


def test_a_volume_has_another_bucket_than_the_engine(problems: Problems, snowflake: Part, aws: Part) -> None:
    (problem,) = problems(
        aws=aws(bucket={"name": "lake-bucket"}),
        snowflake=snowflake(external_volumes=[{"name": "lake", "bucket": "lake-bucket"}]),
    )
    assert problem.endswith("lake-bucket is already the bucket of aws.bucket; give another.")


def test_interactive_tables_and_their_warehouse_come_together(
    problems: Problems, pipeline: Part, snowflake: Part
) -> None:
    table = pipeline(table_kind="interactive", cluster_by=["ID"])
    (problem,) = problems(pipelines=[table])
    assert problem.startswith("snowflake.interactive_warehouse: is required, because pipelines[0]")
    (problem,) = problems(snowflake=snowflake(interactive_warehouse={"name": "FAST"}))
    assert problem.startswith("snowflake.interactive_warehouse: no pipeline has table_kind: interactive")
    (problem,) = problems(
        pipelines=[table], snowflake=snowflake(interactive_warehouse={"name": "fast"}, reader_warehouse="FAST")
    )
    assert "FAST is also the reader_warehouse, which exists already" in problem


def test_networks_are_of_ipv4(problems: Problems, snowflake: Part) -> None:
    (problem,) = problems(snowflake=snowflake(allowed_networks=["192.0.2.0/24", "2001:db8::/32"]))
    assert problem.startswith("snowflake.allowed_networks[1]: 2001:db8::/32 is of IPv6")
    (problem,) = problems(snowflake=snowflake(allowed_networks=["192.0.2.1/24"]))
    assert problem.startswith("snowflake.allowed_networks[0]: is not a network")


def test_the_account_is_named_with_its_organisation(problems: Problems, snowflake: Part) -> None:
    (problem,) = problems(snowflake=snowflake(account="xy12345"))
    assert problem.startswith("snowflake.account: expected <organisation>-<account>")
