"""Tests of what AWS refuses and no service model says: each is refused with the specification."""

from typing import Any

import pytest
from sqlglot.dialects.redshift import Redshift as RedshiftDialect

from firnline_infra.specification.checks.redshift import RESERVED
from tests.infra.specifications import problems

GROUP = {"subnets": ["subnet-0a1b2c3d4e5f60718"], "security_group": {"vpc": "vpc-0a1b2c3d4e5f60718"}}
SUBNET = "subnet-0a1b2c3d4e5f60718"


def emr_ec2(groups: int) -> dict[str, Any]:
    ids = [f"sg-0a1b2c3d4e5f6071{number}" for number in range(groups)]
    cluster = {"subnet": SUBNET, "security_group": {"origin": "adopt", "ids": ids}}
    return {"aws": {"runtime": {"trust": "emr-ec2", "emr_ec2": cluster}}}


def tags(count: int) -> dict[str, str]:
    return {f"key-{number}": "value" for number in range(count)}


def redshift(**cluster: object) -> dict[str, Any]:
    return {"redshift": {"cluster": cluster, "views": [{"stream": "orders"}]}}


def in_cluster(database: str) -> dict[str, Any]:
    return {"redshift": {**redshift()["redshift"], "database": database}}


def consumers(count: int, **stream: object) -> dict[str, Any]:
    return {"streams": [{"name": "orders", "consumers": [f"reader-{number}" for number in range(count)], **stream}]}


def machines(**cluster: object) -> dict[str, Any]:
    return {"aws": {"runtime": {"trust": "emr-ec2", "emr_ec2": {"subnet": SUBNET, **cluster}}}}


def serverless(region: str, **application: object) -> dict[str, Any]:
    return {
        "aws": {"region": region, "runtime": {"trust": "emr-serverless", "emr_serverless": {**GROUP, **application}}}
    }


def users(engine: str, reader: str) -> dict[str, Any]:
    return {"snowflake": {"ingest": {"user": engine}, "reader": {"user": reader}}}


FAMILIES = "c6gd m6g r6gd t4g x2gd c6gn i4g im4gn is4gen g5g c7gn m7gd r7g r8g"
GRAVITON = [f"{family}.xlarge" for family in FAMILIES.split()]
"""github.com/aws/aws-graviton-getting-started, 2026-11-30."""
IN_EMR = {"aws": {"runtime": {"trust": "emr-ec2", "emr_ec2": {"subnet": SUBNET}}}}
ADOPTED = {"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF"}
IN_ADOPTED_EMR = {"aws": {"runtime": {"trust": "emr-ec2", "emr_ec2": ADOPTED}}}
ENDPOINTS = {
    "vpc": "vpc-0a1b2c3d4e5f60718",
    "route_tables": ["rtb-0a1b2c3d4e5f60718"],
    "subnets": [SUBNET],
    "clients": ["10.0.0.0/16"],
}
IMAGES = {"trust": "irsa", "oidc_provider": "oidc.example.com/id/A", "namespace": "n", "service_account": "s"}
REPOSITORY = {"aws": {"runtime": {**IMAGES, "kubernetes": {}}}, "ledger": {"table": "ledger"}}


def test_the_words_that_redshift_reserves_are_those_of_its_dialect_in_sqlglot() -> None:
    assert {word.strip() for word in RedshiftDialect.Generator.RESERVED_KEYWORDS} == RESERVED


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"application": "sg-shop", "aws": {"runtime": {"emr_serverless": GROUP}}}, "a name that begins with sg-"),
        ({"application": "sg-shop", "network": {"vpc_endpoints": ENDPOINTS}}, "a name that begins with sg-"),
        ({"aws": {"region": "eusc-de-east-1"}}, "aws.region: eusc-de-east-1 lies in none of the partitions"),
        ({"aws": {"region": "us-iso-east-1"}}, "aws.region: us-iso-east-1 lies in none of the partitions"),
        ({"aws": {"bucket": {"name": "lake-123456789012-eu-central-1-an"}}}, "is not a name that S3 takes"),
        (emr_ec2(5), "aws.runtime.emr_ec2.security_group.ids: must be 4 or fewer"),
        ({**REPOSITORY, "application": "q"}, "gives the image repository the name 'q'"),
        ({**IN_EMR, "tags": tags(47)}, "tags: 47 are given; AWS takes 50 on an object, and 4 of them"),
        (redshift(node_type="ra3.xlplus", nodes=17), "is made with 16 nodes or fewer"),
        (redshift(node_type="ra3.4xlarge", nodes=33), "is made with 32 nodes or fewer"),
        (serverless("me-central-1", release="emr-spark-8.0.0"), "does not have emr-spark-8.0.0 in me-central-1"),
        (in_cluster(database="default"), "redshift.database: default is a reserved word of Redshift"),
        (in_cluster(database="d" * 65), "redshift.database: must be 64 letters or fewer"),
        (consumers(21, shards=2), "streams[0].consumers: 21 are given; Kinesis registers 20 with a stream"),
        (consumers(51), "streams[0].consumers: 51 are given; Kinesis registers 50 with a stream"),
        (machines(instance_type="m7i.xlarge"), "m7i.xlarge is x86_64; set architecture: x86_64"),
        (machines(instance_type="x2gd.xlarge", architecture="x86_64"), "x2gd.xlarge is arm64; set architecture: arm64"),
        (
            users("loader", '"Loader"'),
            'snowflake.reader.user: the user "Loader" and LOADER (snowflake.ingest.user) would',
        ),
        (
            {"snowflake": {"ingest": {"user": "firnline_dev_deploy", "role": "loads"}}},
            "snowflake.deploy_role: the user FIRNLINE_DEV_DEPLOY and FIRNLINE_DEV_DEPLOY (snowflake.ingest.user)",
        ),
        ({"snowflake": {"warehouse": '"A|B"'}}, "snowflake.warehouse: A|B holds |"),
        ({"snowflake": {"deploy_role": '"A(B"'}}, "snowflake.deploy_role: A(B holds ("),
    ],
)
def test_it_is_refused(changes: dict[str, Any], told: str) -> None:
    assert any(told in each for each in problems(**changes)), problems(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"application": "sg-shop", "network": {}},
        emr_ec2(4),
        {**REPOSITORY, "application": "qq"},
        {**IN_EMR, "tags": tags(46)},
        {**IN_ADOPTED_EMR, "tags": tags(47)},
        redshift(node_type="ra3.xlplus", nodes=16),
        redshift(node_type="ra3.16xlarge", nodes=128),
        serverless("me-central-1"),
        serverless("eu-central-1", release="emr-spark-8.0.0"),
        in_cluster(database="d" * 64),
        {"redshift": {"workgroup": {}, "database": "raw", "views": [{"stream": "orders"}]}},
        consumers(20, shards=2),
        consumers(50),
        *(machines(instance_type=each) for each in (*GRAVITON, "a1.xlarge")),
        *(
            machines(instance_type=each, architecture="x86_64")
            for each in ("c5n.xlarge", "m7i-flex.large", "g5.xlarge")
        ),
        users("loader", '"Loader2"'),
    ],
)
def test_what_is_just_within_is_taken(changes: dict[str, Any]) -> None:
    assert problems(**changes) == []
