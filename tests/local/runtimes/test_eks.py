"""What EMR on EKS and EKS refuse, in their words."""

from typing import Any

import pytest

from firnline_local.runtimes.clusters import PodIdentity, VirtualClusters
from firnline_local.runtimes.rest_json import ServiceError

ROLE = "arn:aws:iam::123456789012:role/engine"
WHOSE = {"clusterName": "local", "namespace": "n", "serviceAccount": "a", "roleArn": ROLE}


def ask(service: Any, operation: str, **parameters: Any) -> dict[str, Any]:
    found: dict[str, Any] = service.answer(operation, parameters, "anybody")
    return found


def virtual_cluster(namespace: str = "n", cluster: str = "local", **more: Any) -> dict[str, Any]:
    place = {"id": cluster, "type": "EKS", "info": {"eksInfo": {"namespace": namespace}}}
    return {"name": "one", "containerProvider": place, **more}


@pytest.fixture
def clusters() -> VirtualClusters:
    return VirtualClusters("123456789012", "us-east-1", clusters=lambda: {"local"})


@pytest.fixture
def eks() -> PodIdentity:
    return PodIdentity("123456789012", "us-east-1", clusters=lambda: {"local"}, has_role=lambda arn: arn == ROLE)


def test_a_namespace_has_one_virtual_cluster_until_that_is_terminated(clusters: VirtualClusters) -> None:
    first = ask(clusters, "CreateVirtualCluster", **virtual_cluster())["id"]
    with pytest.raises(ServiceError, match="already exists in the given namespace"):
        ask(clusters, "CreateVirtualCluster", **virtual_cluster())
    ask(clusters, "DeleteVirtualCluster", id=first)
    second = ask(clusters, "CreateVirtualCluster", **virtual_cluster())["id"]
    assert ask(clusters, "DescribeVirtualCluster", id=first)["virtualCluster"]["state"] == "TERMINATED"
    running = ask(clusters, "ListVirtualClusters", states=["RUNNING"])["virtualClusters"]
    assert [each["id"] for each in running] == [second]
    with pytest.raises(ServiceError, match="already terminated"):
        ask(clusters, "DeleteVirtualCluster", id=first)


def test_a_token_is_one_request(clusters: VirtualClusters) -> None:
    first = ask(clusters, "CreateVirtualCluster", **virtual_cluster(clientToken="t"))
    assert ask(clusters, "CreateVirtualCluster", **virtual_cluster(clientToken="t")) == first
    with pytest.raises(ServiceError, match="other parameters"):
        ask(clusters, "CreateVirtualCluster", **virtual_cluster("other", clientToken="t"))


def test_what_is_not_there_or_not_carried_is_refused(clusters: VirtualClusters) -> None:
    for refused in (virtual_cluster(cluster="other"), virtual_cluster(""), virtual_cluster(sessionEnabled=True)):
        with pytest.raises(ServiceError) as told:
            ask(clusters, "CreateVirtualCluster", **refused)
        assert told.value.code == "ValidationException"
    with pytest.raises(ServiceError, match="StartJobRun is not in the embedded emr-containers"):
        ask(clusters, "StartJobRun")


@pytest.mark.parametrize(
    ("differing", "code"),
    [
        ({"roleArn": f"{ROLE}s"}, "InvalidParameterException"),
        ({"clusterName": "other"}, "ResourceNotFoundException"),
        ({"targetRoleArn": ROLE}, "InvalidParameterException"),
        ({}, "ResourceInUseException"),
    ],
)
def test_an_association_that_can_t_be_is_refused(eks: PodIdentity, differing: dict[str, str], code: str) -> None:
    ask(eks, "CreatePodIdentityAssociation", **WHOSE)
    with pytest.raises(ServiceError) as told:
        ask(eks, "CreatePodIdentityAssociation", **{**WHOSE, **differing})
    assert told.value.code == code
    assert eks.roles() == {"n/a": ROLE}


def test_a_pods_role_goes_with_its_association(eks: PodIdentity) -> None:
    made = ask(eks, "CreatePodIdentityAssociation", **WHOSE)["association"]["associationId"]
    ask(eks, "DeletePodIdentityAssociation", clusterName="local", associationId=made)
    assert eks.roles() == {}
    with pytest.raises(ServiceError, match="does not exist"):
        ask(eks, "DescribePodIdentityAssociation", clusterName="local", associationId=made)
