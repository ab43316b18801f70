"""What an engine runs in stays while a job is in it."""

from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from firnline_infra.blueprint.runtime import VirtualCluster
from firnline_infra.deploy.errors import PlaceInUse
from firnline_infra.deploy.existing import VIRTUAL_CLUSTER, StackResources
from firnline_infra.deploy.places_in_use import ACTIVE_JOBS, check_virtual_cluster

WANTED = VirtualCluster(name="lake", cluster="platform", namespace="ingest")
THERE = {
    "id": "0vc",
    "name": "lake",
    "state": "RUNNING",
    "containerProvider": {"id": "platform", "type": "EKS", "info": {"eksInfo": {"namespace": "ingest"}}},
}


def check(wanted: VirtualCluster | None, *, jobs: list[str] | None, **there: Any) -> None:
    """`jobs` None: nobody is to ask for them."""
    factory: Any = boto3.client
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "s"}
    emr = factory("emr-containers", region_name="eu-central-1", **keys)
    with Stubber(emr) as stub:
        stub.add_response("describe_virtual_cluster", {"virtualCluster": {**THERE, **there}}, {"id": "0vc"})
        if jobs is not None:
            asked = {"virtualClusterId": "0vc", "states": ACTIVE_JOBS}
            stub.add_response("list_job_runs", {"jobRuns": [{"id": each} for each in jobs]}, asked)
        accounts: Any = SimpleNamespace(aws=lambda _: emr)
        known = StackResources(({"type": VIRTUAL_CLUSTER, "id": "0vc"},))
        check_virtual_cluster(wanted, accounts, known, environment="dev")
        stub.assert_no_pending_responses()


def test_one_with_a_job_is_neither_removed_nor_replaced() -> None:
    with pytest.raises(PlaceInUse, match=r"(?s)virtual cluster 0vc.*0job.*firnline stop dev"):
        check(None, jobs=["0job"])
    moved = VirtualCluster(name="lake", cluster="platform", namespace="other")
    with pytest.raises(PlaceInUse, match="namespace ingest becomes other"):
        check(moved, jobs=["0job"])


def test_one_that_stays_or_is_empty_or_gone_is_in_nobodys_way() -> None:
    check(WANTED, jobs=None)
    check(None, jobs=[])
    check(None, jobs=None, state="TERMINATED")
