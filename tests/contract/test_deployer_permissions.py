"""What making, changing and removing an environment calls in AWS is what its deployer may do, as the embedded AWS saw it."""

from collections.abc import Iterator
from typing import Any

import pulumi
import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.bootstrap.deployer import STATE_KEY_ARN, boundary_arn, deployer_statements
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Value
from firnline_infra.local.endpoints import control
from firnline_infra.local.furnishing import bootstrap
from firnline_infra.local.iam.authorise import is_allowed
from firnline_infra.local.iam.call_log import access_from_json
from firnline_infra.local.iam.request import Access
from firnline_infra.local.pulumi.apply import Application
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.pulumi import environment as render
from firnline_infra.pulumi import providers
from firnline_infra.spec import EnvironmentSpec, parse_spec
from firnline_infra.spec.names import application_of

pytestmark = pytest.mark.contract

ROLE_AND_KEY: dict[str, Any] = {
    "version": 1,
    "name": "rights",
    "durability": "EPHEMERAL",
    "aws": {
        "region": "us-east-1",
        "account": "000000000000",
        "permissions_boundary": "arn:aws:iam::000000000000:policy/firnline-rights-boundary",
    },
    "snowflake": {"account": "FIRNLINE-LOCAL"},
    "streams": [{"name": "rights-a", "shards": 1, "consumers": ["fraud"], "shard_metrics": ["IncomingBytes"]}],
    "pipelines": [{"stream": "rights-a", "database": "RIGHTS", "schema": "RAW"}],
    "ledger": {"migration": True},
    "alarms": {"topics": ["arn:aws:sns:us-east-1:000000000000:oncall"]},
    "publication": {"ssm_prefix": "/firnline/rights"},
    "tags": {"team": "data"},
}
CHANGED: dict[str, Any] = {
    "streams": [{"name": "rights-a", "retention_hours": 48, "consumers": ["fraud"]}],
    "ledger": {"migration": False},
    "alarms": {"topics": ["arn:aws:sns:us-east-1:000000000000:oncall"], "lag_minutes": 20},
    "tags": {"team": "platform", "cost": "1"},
}
STATIC_KEYS: dict[str, Any] = {
    **ROLE_AND_KEY,
    "name": "statics",
    "aws": {**ROLE_AND_KEY["aws"], "key": {"origin": "skip"}, "runtime": {"trust": "static-keys"}},
}


def specification(document: dict[str, Any]) -> EnvironmentSpec:
    return parse_spec(yaml.safe_dump(document), "rights.yaml")


class Watched:
    """An application of one environment's program, and what AWS was asked meanwhile."""

    def __init__(self, environment: RunningEnvironment) -> None:
        self.environment = environment
        self.application = Application(environment)
        self._since = {server: self._log(server, 0)["next"] for server in ("kinesis", "aws")}

    def up(self, spec: EnvironmentSpec) -> None:
        program = lambda: render(spec, pulumi.ResourceOptions(providers=providers(spec)))  # noqa: E731
        self.application.up(program, stack=spec.name, project="rights")

    def accesses(self) -> list[Access]:
        found = []
        for server, since in self._since.items():
            log = self._log(server, since)
            assert log["dropped"] == 0
            self._since[server] = log["next"]
            found += [access_from_json(access) for call in log["calls"] for access in call["accesses"]]
        return found

    def _log(self, server: str, since: int) -> dict[str, Any]:
        return control(self.environment.endpoints, server, f"calls?since={since}")


@pytest.fixture
def watched(local_environment: RunningEnvironment) -> Iterator[Watched]:
    watched = Watched(local_environment)
    yield watched
    watched.application.destroy()


def missing(spec: EnvironmentSpec, accesses: list[Access]) -> list[str]:
    def resolve(value: Value) -> str:
        return "arn:aws:kms:us-east-1:000000000000:key/state" if value == STATE_KEY_ARN else str(value)

    statements = policy_document(deployer_statements(spec, blueprint_of(spec)), resolve)["Statement"]
    refused = {
        f"{one.action} on {one.resource} where {dict(one.context)}"
        for one in accesses
        if not is_allowed(statements, one.action, one.resource, {**one.context, **unseen(spec)})
    }
    return sorted(refused)


def unseen(spec: EnvironmentSpec) -> dict[str, str]:
    """What AWS would know beside the request, and the embedded one does not; the tests below say that it is so."""
    return {
        "aws:RequestedRegion": spec.aws.region,
        "aws:RequestTag/firnline:application": application_of(spec),
        "aws:ResourceTag/firnline:application": application_of(spec),
        "iam:PermissionsBoundary": boundary_arn(spec),
    }


@pytest.mark.parametrize("document", [ROLE_AND_KEY, STATIC_KEYS], ids=["role and key", "static keys"])
def test_the_deployer_may_all_that_an_environment_asks_for_from_its_first_up_to_its_end(
    watched: Watched, document: dict[str, Any]
) -> None:
    first, second = specification(document), specification({**document, **CHANGED})
    bootstrap(watched.environment, first)
    watched.up(first)
    assert missing(first, made := watched.accesses()) == []
    assert len(made) > 20
    watched.up(second)
    assert missing(second, watched.accesses()) == []
    watched.application.destroy()
    assert missing(second, watched.accesses()) == []


def test_the_key_is_made_with_the_tag_and_the_role_within_the_boundary_that_the_deployer_is_held_to(
    watched: Watched,
) -> None:
    spec = specification(ROLE_AND_KEY)
    bootstrap(watched.environment, spec)
    watched.up(spec)
    kms, iam = watched.environment.client("kms"), watched.environment.client("iam")
    key = kms.describe_key(KeyId=f"alias/{application_of(spec)}")["KeyMetadata"]["KeyId"]
    tags = {tag["TagKey"]: tag["TagValue"] for tag in kms.list_resource_tags(KeyId=key)["Tags"]}
    assert tags["firnline:application"] == application_of(spec)
    role = iam.get_role(RoleName=blueprint_of(spec).names.engine_role)["Role"]
    assert role["PermissionsBoundary"]["PermissionsBoundaryArn"] == boundary_arn(spec)
