import pytest
from botocore.exceptions import ClientError

from tests.local.runtimes.conftest import Service


def state(service: Service, application: str) -> str:
    return str(service.client.get_application(applicationId=application)["application"]["state"])


def test_an_application_is_as_it_was_made(service: Service) -> None:
    made = service.client.create_application(
        type="SPARK",
        releaseLabel="emr-spark-8.1.0",
        name="orders",
        architecture="ARM64",
        schedulerConfiguration={"maxConcurrentRuns": 1},
        tags={"team": "data"},
    )
    found = service.client.get_application(applicationId=made["applicationId"])["application"]
    assert found["arn"] == f"arn:aws:emr-serverless:us-east-1:123456789012:/applications/{made['applicationId']}"
    assert (found["state"], found["architecture"], found["tags"]) == ("CREATED", "ARM64", {"team": "data"})
    assert found["schedulerConfiguration"] == {"maxConcurrentRuns": 1, "queueTimeoutMinutes": 360}
    assert found["autoStopConfiguration"] == {"enabled": True, "idleTimeoutMinutes": 15}
    assert [each["id"] for each in service.client.list_applications()["applications"]] == [made["applicationId"]]


def test_the_same_token_is_one_application(service: Service) -> None:
    first = service.create(clientToken="one", name="orders")
    assert service.create(clientToken="one", name="orders") == first
    with pytest.raises(ClientError, match=r"ConflictException.*other parameters"):
        service.create(clientToken="one", name="returns")


def test_an_application_is_updated_only_where_it_is_not_started(service: Service) -> None:
    application = service.create()
    service.client.update_application(applicationId=application, releaseLabel="emr-spark-8.0.0")
    service.client.start_application(applicationId=application)
    with pytest.raises(ClientError, match=r"ValidationException.*CREATED, STOPPED"):
        service.client.update_application(applicationId=application, architecture="ARM64")
    with pytest.raises(ClientError, match="CREATED or STOPPED"):
        service.client.delete_application(applicationId=application)
    service.client.stop_application(applicationId=application)
    service.client.update_application(applicationId=application, architecture="ARM64")
    service.client.delete_application(applicationId=application)
    assert state(service, application) == "TERMINATED"


def test_an_application_is_not_stopped_under_a_run(service: Service) -> None:
    application = service.create()
    run = service.start(application)
    with pytest.raises(ClientError, match=f"not over: {run}"):
        service.client.stop_application(applicationId=application)
    service.stage.attempt().end()
    service.until(application, run, "SUCCESS")
    service.client.stop_application(applicationId=application)
    assert state(service, application) == "STOPPED"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"releaseLabel": "emr-7.1.0"}, "the releases with Spark 4"),
        ({"architecture": "RISC"}, r"satisfy enum value set: \[ARM64, X86_64\]"),
        ({"name": "a b"}, "regular expression pattern"),
        ({"autoStopConfiguration": {"idleTimeoutMinutes": 0}}, "greater than or equal to 1"),
        ({"maximumCapacity": {"cpu": "4 vCPU"}}, "maximumCapacity.memory.*must not be null"),
        ({"schedulerConfiguration": {"maxConcurrentRuns": 0}}, "between 1 and 1000"),
        ({"networkConfiguration": {"subnetIds": ["subnet-1"] * 17}}, "less than or equal to 16"),
        ({"imageConfiguration": {"imageUri": f"{'1' * 12}.dkr.ecr.us-east-1.amazonaws.com/a:b"}}, "does not carry"),
    ],
)
def test_what_the_service_refuses(service: Service, settings: dict[str, object], said: str) -> None:
    request = {"type": "SPARK", "releaseLabel": "emr-spark-8.1.0", "clientToken": "t", **settings}
    with pytest.raises(ClientError, match=f"ValidationException.*{said}"):
        service.client.create_application(**request)


def test_tags_are_kept_by_arn(service: Service) -> None:
    application = service.create(tags={"a": "1"})
    arn = service.client.get_application(applicationId=application)["application"]["arn"]
    service.client.tag_resource(resourceArn=arn, tags={"b": "2"})
    service.client.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert service.client.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        service.client.list_tags_for_resource(resourceArn=f"{arn}x")


def test_pages_are_walked_to_their_end(service: Service) -> None:
    made = {service.create(clientToken=str(number)) for number in range(5)}
    pages = list(service.client.get_paginator("list_applications").paginate(PaginationConfig={"PageSize": 2}))
    assert [len(each["applications"]) for each in pages] == [2, 2, 1]
    assert {each["id"] for page in pages for each in page["applications"]} == made
