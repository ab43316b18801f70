"""Tests of who may make and end the cluster that an engine runs on: calls of the provider, held against the rendered policies.

The embedded EMR answers; which rights each call needs, tests/iam/services says. What the cluster is tagged with is known here.
"""

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups
from firnline_local.aws.policy import is_allowed
from firnline_local.aws.server import AwsServer
from firnline_local.faults import FaultPlan
from firnline_local.providers.aws import iam, runtimes
from firnline_local.runtimes.jobs.credentials import JobEndpoints
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.wsgi import WsgiServer
from tests.iam.accesses import accesses_of
from tests.iam.ci import statements_of
from tests.iam.kinesis_calls import KinesisDirectory
from tests.iam.request import Access, Request
from tests.infra.blueprint.test_runtime import spec_of
from tests.local.providers.aws.cases.case import a_role
from tests.local.runtimes.conftest import Stage

ACCOUNT, REGION = "123456789012", "eu-central-1"
OURS, NAME = "firnline:application", "firnline-dev-engine"
RUNTIME = {"trust": "emr-ec2", "emr_ec2": {"subnet": "subnet-0a1b2c3d4e5f60718"}}


class Clients:
    """Notes what is asked of EMR."""

    region, account = REGION, ACCOUNT

    def __init__(self, endpoints: dict[str, str], tags: dict[str, str]) -> None:
        self.accesses: list[Access] = []
        self._endpoints, self._tags = endpoints, tags

    def aws(self, service: str) -> Any:
        factory: Any = boto3.client
        keys = {"aws_access_key_id": "a", "aws_secret_access_key": "s"}
        endpoint = self._endpoints.get(service, self._endpoints["aws"])
        client = factory(service, region_name=REGION, endpoint_url=endpoint, **keys)
        client.meta.events.register("provide-client-params.emr.*", self._note)
        return client

    def _note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        known = {} if model.name in {"RunJobFlow", "ListClusters"} else self._tags
        request = Request(
            service="elasticmapreduce",
            operation=model.name,
            account=ACCOUNT,
            region=REGION,
            directory=KinesisDirectory(ACCOUNT, REGION),
            parameters={**params, "ResourceTags": known},
        )
        here = {"aws:RequestedRegion": REGION}
        self.accesses += [Access(one.action, one.resource, {**one.context, **here}) for one in accesses_of(request)]


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Yields the endpoints of EMR, and of all other services."""
    folder, stage = tmp_path_factory.mktemp("runtimes"), Stage()
    application = RuntimesApplication(folder, account=ACCOUNT, region=REGION, faults=FaultPlan(), launch=stage)
    with AwsServer() as aws, WsgiServer(application, name="runtimes") as server:
        application.places = JobEndpoints(aws=aws.endpoint, kinesis=aws.endpoint, region=REGION, account=ACCOUNT)
        yield {"aws": aws.endpoint, "emr": server.endpoint}


@pytest.fixture
def life(endpoints: dict[str, str]) -> Callable[[dict[str, str]], Clients]:
    def live(tags: dict[str, str]) -> Clients:
        noted = Clients(endpoints, tags)
        clients: Any = noted
        (subnet, *_) = clients.aws("ec2").describe_subnets()["Subnets"]
        if iam.INSTANCE_PROFILE.read(NAME, {}, clients) is None:
            iam.INSTANCE_PROFILE.create({"name": NAME, "role": a_role(clients)}, clients)
        inputs = {
            "name": "firnline-dev",
            "releaseLabel": "emr-spark-8.1.0",
            "applications": ["Spark"],
            "serviceRole": "EMR_DefaultRole",
            "keepJobFlowAliveWhenNoSteps": True,
            "terminationProtection": False,
            "masterInstanceGroup": {"instanceType": "m7g.xlarge", "instanceCount": 1},
            "coreInstanceGroup": {"instanceType": "m7g.xlarge", "instanceCount": 1},
            "ec2Attributes": {"subnetId": subnet["SubnetId"], "instanceProfile": NAME},
            "tags": tags,
        }
        made = runtimes.CLUSTER.create(inputs, clients)
        assert aws_lookups(clients.aws)[runtimes.CLUSTER.type](inputs) == [made.id]
        more = {"coreInstanceGroup": {"instanceType": "m7g.xlarge", "instanceCount": 2}, "stepConcurrencyLevel": 2}
        changed = {**inputs, **more, "terminationProtection": True, "tags": {**tags, "a": "1"}}
        runtimes.CLUSTER.update(made.id, inputs, changed, clients)
        runtimes.CLUSTER.update(made.id, changed, inputs, clients)
        runtimes.CLUSTER.delete(made.id, inputs, clients)
        return noted

    return live


def refused(clients: Clients, role: str = "Deploy") -> set[str]:
    statements = statements_of(spec_of(RUNTIME), role)
    return {
        one.action.partition(":")[2]
        for one in clients.accesses
        if not is_allowed(statements, one.action, one.resource, one.context)
    }


def test_the_deployer_may_all_of_its_life_and_the_previewer_sees_it(life: Callable[..., Clients]) -> None:
    clients = life({OURS: "firnline-dev"})
    assert refused(clients) == set()
    assert refused(clients, "Preview") == {
        *("RunJobFlow", "AddTags", "PassRole", "SetTerminationProtection", "ModifyInstanceGroups", "ModifyCluster"),
        *("RemoveTags", "TerminateJobFlows"),
    }


def test_a_cluster_of_others_is_out_of_reach(life: Callable[..., Clients]) -> None:
    assert {"RunJobFlow", "DescribeCluster", "TerminateJobFlows", "AddTags"} <= refused(life({OURS: "payroll"}))


def test_machines_with_another_role_are_not_made() -> None:
    statements = statements_of(spec_of(RUNTIME))
    for role, service in (("payroll", "ec2.amazonaws.com"), (NAME, "elasticmapreduce.amazonaws.com")):
        context = {"iam:PassedToService": service}
        assert not is_allowed(statements, "iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/{role}", context)
