from pathlib import Path

import pytest

from firnline_local.endpoints import SERVERS, Endpoints, servers_of
from firnline_local.faults import InvalidFault


@pytest.mark.parametrize(
    ("endpoint", "server"),
    [
        ("kinesis:GetRecords", "kinesis"),
        ("dynamodb:*", "aws"),
        ("sts:AssumeRole", "aws"),
        ("snowflake:append", "snowflake"),
        ("emr-serverless:StartJobRun", "runtimes"),
        ("elasticmapreduce:AddJobFlowSteps", "runtimes"),
    ],
)
def test_a_fault_goes_to_the_server_of_its_service(endpoint: str, server: str) -> None:
    assert list(servers_of(endpoint)) == [server]


@pytest.mark.parametrize("endpoint", ["*:*", "*", "[ks]*:open"])
def test_a_pattern_over_services_goes_to_all(endpoint: str) -> None:
    assert servers_of(endpoint) == SERVERS


def test_a_misspelt_service_is_told_from_one_that_is_not_embedded() -> None:
    with pytest.raises(InvalidFault, match="did you mean dynamodb:UpdateItem"):
        servers_of("dynamo:UpdateItem")
    with pytest.raises(
        InvalidFault,
        match="services: kinesis, snowflake, emr-serverless, elasticmapreduce, emr-containers, eks, redshift",
    ):
        servers_of("lambda:Invoke")


def test_boto3s_name_of_a_service_leads_to_its_server_and_so_does_its_variable() -> None:
    endpoints = Endpoints(
        region="us-east-1",
        aws_account="1",
        kinesis="k",
        aws="a",
        runtimes="r",
        snowflake="s",
        snowflake_account="S",
        ca_file=Path("/nowhere"),
    )
    assert [endpoints.of_service(name) for name in ("emr", "elasticmapreduce", "iam")] == ["r", "r", "a"]
    assert endpoints.aws_variables["AWS_ENDPOINT_URL_EMR"] == "r"


def test_a_service_alone_is_no_endpoint() -> None:
    with pytest.raises(InvalidFault, match=r"did you mean kinesis:\*"):
        servers_of("kinesis")
