import pytest

from firnline_local.endpoints import SERVERS, servers_of
from firnline_local.faults import InvalidFault


@pytest.mark.parametrize(
    ("endpoint", "server"),
    [
        ("kinesis:GetRecords", "kinesis"),
        ("dynamodb:*", "aws"),
        ("sts:AssumeRole", "aws"),
        ("snowflake:append", "snowflake"),
        ("emr-serverless:StartJobRun", "runtimes"),
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
        InvalidFault, match="services: kinesis, snowflake, emr-serverless, emr-containers, eks, redshift-serverless"
    ):
        servers_of("lambda:Invoke")


def test_a_service_alone_is_no_endpoint() -> None:
    with pytest.raises(InvalidFault, match=r"did you mean kinesis:\*"):
        servers_of("kinesis")
