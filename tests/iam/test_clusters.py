"""Tests of who may make what an engine runs in on EKS: the deployer of that environment and nobody else, and the
previewer looks.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds import eks, emr
from firnline_infra.observe import existing
from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups
from firnline_infra.specification import EnvironmentSpec
from firnline_local.providers.aws import runtimes
from firnline_local.runtimes import server
from firnline_local.wsgi import WsgiServer
from tests.iam.ci import statements_of
from tests.iam.runtimes import EnforcingRuntimes
from tests.infra.blueprint.test_runtime import spec_of
from tests.local.runtimes.conftest import Stage

ACCOUNT, REGION = "123456789012", "eu-central-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/firnline-dev-engine"
RUNTIME = {"trust": "pod-identity", "cluster": "local", "namespace": "ingest", "emr_eks": {}}
TAGS = {"firnline:application": "firnline-dev", "a": "1"}
PLACE = {"id": "local", "type": "EKS", "info": {"eksInfo": {"namespace": "ingest"}}}
VIRTUAL_CLUSTER = {"name": "firnline-dev", "containerProvider": PLACE, "tags": TAGS}
ASSOCIATION = {"clusterName": "local", "namespace": "ingest", "serviceAccount": "e", "roleArn": ROLE, "tags": TAGS}
CASES = [(runtimes.VIRTUAL_CLUSTER, VIRTUAL_CLUSTER), (runtimes.POD_IDENTITY_ASSOCIATION, ASSOCIATION)]
kinds = pytest.mark.parametrize(("kind", "inputs"), CASES, ids=["virtual cluster", "association"])


class Caller:
    """A caller as the rows take their clients; signs with a key of its own."""

    region, account = REGION, ACCOUNT

    def __init__(self, endpoint: str, key: str) -> None:
        self._endpoint, self._key = endpoint, key

    def aws(self, service: str) -> Any:
        factory: Any = boto3.client
        place = {"region_name": REGION, "endpoint_url": self._endpoint}
        return factory(service, **place, aws_access_key_id=self._key, aws_secret_access_key="s")


@pytest.fixture
def who(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    monkeypatch.setattr(server, "has_role", lambda *_: True)
    application = EnforcingRuntimes(tmp_path, account=ACCOUNT, region=REGION, launch=Stage())
    with WsgiServer(application, name="runtimes") as listening:

        def who(spec: EnvironmentSpec | None, role: str = "Deploy") -> Any:
            key = f"{spec.name}-{role}" if spec else "anybody"
            if spec is not None:
                caller = {"access_key": key, "principal": key, "statements": statements_of(spec, role)}
                application.authorizer.callers.from_json(json.dumps(caller).encode())
            return Caller(listening.endpoint, key)

        yield who
    application.stop()


@kinds
def test_the_deployer_may_all_of_its_life_and_the_previewer_sees_it(
    who: Callable[..., Any], kind: Any, inputs: dict[str, Any]
) -> None:
    deployer, previewer = who(spec_of(RUNTIME)), who(spec_of(RUNTIME), "Preview")
    made = kind.create(inputs, deployer)
    assert aws_lookups(deployer.aws)[kind.type](inputs)[0].endswith(made.id)
    assert kind.read(made.id, inputs, previewer) is not None
    with pytest.raises(ClientError, match="AccessDenied"):
        kind.delete(made.id, inputs, previewer)
    changed = {**inputs, "tags": {**TAGS, "a": "2"}}
    assert kind.update(made.id, inputs, changed, deployer)["tags"]["a"] == "2"
    kind.delete(made.id, inputs, deployer)
    assert kind.read(made.id, inputs, who(None)) is None


@kinds
def test_it_is_made_with_our_tag_or_not_at_all(who: Callable[..., Any], kind: Any, inputs: dict[str, Any]) -> None:
    for tags in ({}, {"firnline:application": "payroll"}):
        with pytest.raises(ClientError, match="AccessDenied"):
            kind.create({**inputs, "tags": tags}, who(spec_of(RUNTIME)))


@kinds
def test_what_is_anothers_is_out_of_reach(who: Callable[..., Any], kind: Any, inputs: dict[str, Any]) -> None:
    made = kind.create({**inputs, "tags": {"firnline:application": "payroll"}}, who(None))
    deployer = who(spec_of(RUNTIME))
    for act in (kind.read, kind.delete):
        with pytest.raises(ClientError, match="AccessDenied"):
            act(made.id, inputs, deployer)
    with pytest.raises(ClientError, match="AccessDenied"):
        kind.update(made.id, inputs, {**inputs, "tags": TAGS}, deployer)


@pytest.mark.parametrize(
    "differing", [{"roleArn": f"arn:aws:iam::{ACCOUNT}:role/payroll"}, {"clusterName": "somebodys"}]
)
def test_an_association_leads_to_the_engines_role_in_the_one_cluster(
    who: Callable[..., Any], differing: dict[str, str]
) -> None:
    deployer = who(spec_of(RUNTIME))
    with pytest.raises(ClientError, match="AccessDenied"):
        runtimes.POD_IDENTITY_ASSOCIATION.create({**ASSOCIATION, **differing}, deployer)
    made = runtimes.POD_IDENTITY_ASSOCIATION.create(ASSOCIATION, deployer)
    with pytest.raises(ClientError, match=r"AccessDenied.*iam:PassRole|AccessDenied"):
        runtimes.POD_IDENTITY_ASSOCIATION.update(made.id, ASSOCIATION, {**ASSOCIATION, **differing}, deployer)


def test_what_has_the_place_already_is_told_before_anything_is_made(who: Callable[..., Any]) -> None:
    others = who(None)
    account = eks.ASSOCIATION.name(next(iter(eks.ASSOCIATION.instances(blueprint_of(spec_of(RUNTIME))))))
    runtimes.VIRTUAL_CLUSTER.create({**VIRTUAL_CLUSTER, "name": "payroll"}, others)
    runtimes.POD_IDENTITY_ASSOCIATION.create({**ASSOCIATION, "serviceAccount": account}, others)
    blueprint = blueprint_of(spec_of(RUNTIME))
    previewer = who(spec_of(RUNTIME), "Preview")
    found = {
        kind.display_name(wanted)
        for kind in (emr.VIRTUAL_CLUSTER, eks.ASSOCIATION)
        for wanted in kind.instances(blueprint)
        if existing.presence(kind, wanted, previewer) is existing.Presence.THERE
    }
    assert found == {
        "virtual cluster of EMR over namespace ingest of EKS cluster local, in the way of firnline-dev",
        f"association of EKS cluster local, in namespace ingest, for service account {account}",
    }
