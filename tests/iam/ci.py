"""Whoever has a role of CI: calls signed with a key that may do what the bootstrap's template gives that role, and no more."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.specification import EnvironmentSpec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.aws.policy import Statement, is_allowed
from firnline_local.running import RunningEnvironment
from tests.iam.call_log import LoggedCall
from tests.iam.callers import UNGUARDED
from tests.iam.running import enforce_statements

KEY = "AKIADEPLOYER"
OF_STATE = "StateKey"  # its ARN is known only once the template is applied


def statements_of(spec: EnvironmentSpec, role: str = "Deploy") -> list[Statement]:
    """All policies of the role, Deploy or Preview, as the template has them."""
    made = template(blueprint_of(spec), provider=GitHub(repository="acme/data"))["Resources"]
    policies = [each["Ref"] for each in made[f"{role}Role"]["Properties"]["ManagedPolicyArns"]]
    documents = [made[policy]["Properties"]["PolicyDocument"] for policy in policies]
    return [each for document in documents for each in document["Statement"] if each["Sid"] != OF_STATE]


@dataclass(frozen=True)
class DeployersAccounts(EmbeddedAccounts):
    """Accounts of the environment, asked with the key."""

    def aws(self, service: str) -> Any:
        factory: Any = boto3.client
        endpoints = self.environment.endpoints
        return factory(
            service,
            region_name=endpoints.region,
            endpoint_url=endpoints.of_service(service),
            aws_access_key_id=KEY,
            aws_secret_access_key="secret",
            config=Config(proxies={}),
        )


def let_in(environment: RunningEnvironment, spec: EnvironmentSpec) -> None:
    """From now on, and until the specification asks for more."""
    principal = f"arn:aws:sts::{spec.aws.account}:assumed-role/deployer/ci"
    enforce_statements(environment, KEY, principal=principal, statements=statements_of(spec))


def not_allowed(calls: Iterable[LoggedCall], statements: list[Statement]) -> set[str]:
    return {
        f"{access.action} on {access.resource}"
        for call in calls
        for access in call.accesses
        if access.action not in UNGUARDED and not is_allowed(statements, access.action, access.resource, access.context)
    }


def not_used(calls: Iterable[LoggedCall], statements: Iterable[Statement]) -> set[str]:
    """Rights that no call needed which was done."""
    accesses = [access for call in calls if call.succeeded for access in call.accesses]
    return {
        f"{action} by {statement['Sid']}"
        for statement in statements
        for action in statement["Action"]
        if not any(
            access.action == action and is_allowed([statement], action, access.resource, access.context)
            for access in accesses
        )
    }
