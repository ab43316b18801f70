from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.infra.specification.checks.conftest import COLUMNS

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
    table = pipeline(
        table_kind="interactive",
        cluster_by=["ID"],
        columns=COLUMNS,
    )
    (problem,) = problems(pipelines=[table], snowflake=snowflake(warehouse="SMALL"))
    assert problem.startswith("snowflake.interactive_warehouse: is required, because pipelines[0]")
    (problem,) = problems(snowflake=snowflake(interactive_warehouse={"name": "FAST"}))
    assert problem.startswith("snowflake.interactive_warehouse: no pipeline has table_kind: interactive")
    (problem,) = problems(
        pipelines=[table], snowflake=snowflake(interactive_warehouse={"name": "fast"}, warehouse="FAST")
    )
    assert "FAST is also snowflake.warehouse, which exists already" in problem


def test_what_asks_for_policies_needs_a_warehouse_to_ask_in(
    problems: Problems, pipeline: Part, snowflake: Part
) -> None:
    none: dict[str, Any] = {"warehouse": None}
    assert problems(snowflake=snowflake(**none)) == []
    (problem,) = problems(snowflake=snowflake(key_pair_only=True, **none))
    assert problem.startswith("snowflake.warehouse: is required because of snowflake.key_pair_only: ")
    assert problems(snowflake=snowflake(key_pair_only=True)) == []
    lake = {"external_volumes": [{"name": "lake"}]}
    table = pipeline(table_kind="iceberg", external_volume="lake")
    (problem,) = problems(pipelines=[table], snowflake=snowflake(**lake, **none))
    assert "because of pipelines[0].table_kind: iceberg: " in problem
    assert problems(pipelines=[table], snowflake=snowflake(**lake)) == []


def test_networks_are_of_ipv4(problems: Problems, snowflake: Part) -> None:
    (problem,) = problems(snowflake=snowflake(allowed_networks=["192.0.2.0/24", "2001:db8::/32"]))
    assert problem.startswith("snowflake.allowed_networks[1]: 2001:db8::/32 is of IPv6")
    (problem,) = problems(snowflake=snowflake(allowed_networks=["192.0.2.1/24"]))
    assert problem.startswith("snowflake.allowed_networks[0]: is not a network")


def test_the_account_is_named_with_its_organisation(problems: Problems, snowflake: Part) -> None:
    (problem,) = problems(snowflake=snowflake(account="xy12345"))
    assert problem.startswith("snowflake.account: expected <organisation>-<account>")


def test_engine_and_reader_are_different_users(problems: Problems, snowflake: Part) -> None:
    found = problems(snowflake=snowflake(ingest={"user": "FIRNLINE"}, reader={"user": '"FIRNLINE"'}))
    assert [problem.partition(":")[0] for problem in found] == ["snowflake.reader.user", "snowflake.reader.role"]


@pytest.mark.parametrize("who", ["ingest", "reader"])
def test_neither_has_the_role_that_deploys(problems: Problems, snowflake: Part, who: str) -> None:
    (problem,) = problems(snowflake=snowflake(deploy_role="DEPLOY", **{who: {"role": "deploy"}}))
    assert problem.startswith(f"snowflake.{who}.role: ")


@pytest.mark.parametrize("who", ["deploy", "ingest", "reader"])
def test_nobody_who_changes_anything_previews(problems: Problems, snowflake: Part, who: str) -> None:
    (problem,) = problems(name="dev", snowflake=snowflake(preview_role=f"firnline_dev_{who}"))
    assert problem.startswith(f"snowflake.preview_role: FIRNLINE_DEV_{who.upper()} is also snowflake.{who}")


@pytest.mark.parametrize("who", ["deploy_role", "preview_role"])
@pytest.mark.parametrize("role", ["accountadmin", "SYSADMIN", '"PUBLIC"'])
def test_ci_is_no_administrator(problems: Problems, snowflake: Part, who: str, role: str) -> None:
    (problem,) = problems(snowflake=snowflake(**{who: role}))
    assert problem.startswith(f"snowflake.{who}: ")
    assert "is Snowflake's own role" in problem
    assert problems(snowflake=snowflake(**{who: '"accountadmin"'})) == []


def test_the_reader_is_granted_to_others(problems: Problems, snowflake: Part) -> None:
    granted = ["ANALYST", "FIRNLINE_DEV_INGEST", "firnline_dev_reader"]
    found = problems(snowflake=snowflake(reader={"granted_to": granted}))
    assert [problem.partition(":")[0] for problem in found] == [
        "snowflake.reader.granted_to[1]",
        "snowflake.reader.granted_to[2]",
    ]


def test_each_place_has_a_key_of_its_own(problems: Problems, snowflake: Part) -> None:
    key = rsa.generate_private_key(65537, 2048).public_key()
    pem = key.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode()
    found = problems(
        snowflake=snowflake(
            ingest={"public_keys": {"slot_1": pem, "slot_2": pem}}, reader={"public_keys": {"slot_2": pem}}
        )
    )
    assert [problem.partition(": is the same key")[0] for problem in found] == [
        "snowflake.ingest.public_keys.slot_2",
        "snowflake.reader.public_keys.slot_2",
    ]


def test_each_user_has_a_secret_of_its_own(problems: Problems, snowflake: Part) -> None:
    secret = {"secret_arn": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-a1B2c3"}
    (problem,) = problems(snowflake=snowflake(ingest=secret, reader=secret))
    assert problem.startswith("snowflake.reader.secret_arn: is also snowflake.ingest.secret_arn")


@pytest.mark.parametrize("name", ['"say ""hi"""', '"a(b"', '"a)b"', '"a|b"'])
def test_a_name_is_one_that_the_provider_can_read(
    problems: Problems, pipeline: Part, snowflake: Part, name: str
) -> None:
    """Else `up` makes what comes before it, and stops there."""
    pipe = {"name": name, "select": "$1:KINESISMETADATA"}
    found = problems(
        pipelines=[pipeline(database=name, schema=name, table=name, pipe=pipe)],
        snowflake=snowflake(
            ingest={"user": name},
            reader={"role": name, "granted_to": [name]},
            preview_role=name,
            network_policy={"name": name},
            authentication_policy=name,
        ),
    )
    assert sorted(
        {problem.partition(":")[0] for problem in found if "the Snowflake provider can't read" in problem}
    ) == [
        "pipelines[0].database",
        "pipelines[0].pipe.name",
        "pipelines[0].schema",
        "pipelines[0].table",
        "snowflake.authentication_policy",
        "snowflake.ingest.role",
        "snowflake.ingest.user",
        "snowflake.network_policy.name",
        "snowflake.preview_role",
        "snowflake.reader.granted_to[0]",
        "snowflake.reader.role",
    ]


def test_any_other_name_between_quotes_will_do(problems: Problems, pipeline: Part) -> None:
    odd = '"it\'s a.b-c/d%_ $\\"'
    assert problems(pipelines=[pipeline(database=odd, schema=odd, table=odd)]) == []
