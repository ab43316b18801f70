"""Whether the permissions boundary of the bootstrap still is what the specification asks for.

Whoever deploys can't write it, so a right that the specification adds does nothing before an administrator renews it.
"""

import json
from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Reference
from firnline_infra.observe import Finding, good, unknown, wrong
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import bootstrap_names

AGAIN = "render `firnline bootstrap` again and have an administrator apply it: nothing outside of the boundary works"


def boundary(spec: EnvironmentSpec, blueprint: Blueprint, iam: Any) -> Iterator[Finding]:
    """Nothing where the roles have none. Raises AwsRefused."""
    arn = spec.aws.permissions_boundary
    if arn is None:
        return
    about = f"boundary {arn.rpartition('/')[2]}"
    if arn != Arns(spec).policy(bootstrap_names(spec).boundary):
        step = "compare it with the engine's policy by hand: what it lacks, the engine may not do"
        yield unknown(about, "is a policy of your own", next_step=step)
        return
    if (found := _document(iam, arn)) is None:
        yield wrong(about, "is not there", next_step="have an administrator apply `firnline bootstrap`")
        return
    there = {_plain(each) for each in found["Statement"]}
    wanted = policy_document(boundary_statements(spec, blueprint), resolve=lambda value: value)["Statement"]
    lacks = [each["Sid"] for each in wanted if not _holds_references(each) and _plain(each) not in there]
    if lacks:
        yield wrong(about, f"is not as specified: {', '.join(lacks)}", next_step=AGAIN)
    else:
        yield good(about, "lets the roles do all that the specification asks for")


def _document(iam: Any, arn: str) -> dict[str, Any] | None:
    with aws_call("iam:GetPolicyVersion", arn):
        try:
            version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        except iam.exceptions.NoSuchEntityException:
            return None
        found: dict[str, Any] = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    return found


def _plain(value: Any) -> str:
    """The same for one value and a list of it, in any order."""
    return json.dumps(_sorted(value), sort_keys=True)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(each) for key, each in value.items()}
    if isinstance(value, list):
        return _sorted(value[0]) if len(value) == 1 else sorted(map(_sorted, value), key=json.dumps)
    return value


def _holds_references(statement: dict[str, Any]) -> bool:
    """A key that is not recorded yet is known to the template alone."""
    return any(isinstance(each, Reference) for each in statement.get("Resource", ()))
