"""Compares the deployed permissions boundary with the rendered one.

The deployer can't write it: a right that the specification adds has no effect until an administrator applies the bootstrap
again, and a right that someone else added limits no role.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.normal_form import one_form, statements_of
from firnline_infra.blueprint.value import Reference
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_ingest.checks import Finding, good, unknown, wrong

TIGHTEN = (
    "what has left the specification goes once an administrator applies `firnline bootstrap` again; else find out who wrote it "
    "and why: every role of the environment could be given that"
)
AGAIN = "render `firnline bootstrap` again and have an administrator apply it: nothing outside of the boundary works"


def boundary(blueprint: Blueprint, iam: Any) -> Iterator[Finding]:
    """Yields nothing where the roles have no boundary. Raises AwsRefused."""
    environment = blueprint.environment
    arn = environment.aws.permissions_boundary
    if arn is None:
        return
    about = f"boundary {arn.rpartition('/')[2]}"
    if arn != environment.arns.policy(environment.bootstrap.boundary):
        step = "compare it with the engine's policy by hand: what it lacks, the engine may not do"
        yield unknown(about, "is a policy of your own", next_step=step)
        return
    if (found := _document(iam, arn)) is None:
        yield wrong(about, "is not there", next_step="have an administrator apply `firnline bootstrap`")
        return
    wanted = policy_document(boundary_statements(blueprint), resolve=lambda value: value)["Statement"]
    lacks, more = _differences(wanted, statements_of(found))
    if lacks:
        yield wrong(about, f"is not as specified: {', '.join(lacks)}", next_step=AGAIN)
    if more:
        yield wrong(about, f"allows what nobody specified: {', '.join(more)}", next_step=TIGHTEN)
    if not (lacks or more):
        yield good(about, "lets the roles do all that the specification asks for, and no more")


def _differences(wanted: list[dict[str, Any]], found: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """By their names, the statements that are lacking, and those that are too many."""
    known = [each for each in wanted if not _holds_references(each)]
    there, asked = set(map(one_form, found)), set(map(one_form, known))
    lacks = [each["Sid"] for each in known if one_form(each) not in there]
    unsure = {*lacks, *(each["Sid"] for each in wanted if _holds_references(each))}
    names = ((each.get("Sid") or "a statement without a name", each) for each in found)
    return lacks, [name for name, each in names if one_form(each) not in asked and name not in unsure]


def _document(iam: Any, arn: str) -> dict[str, Any] | None:
    policy: Any = if_there("iam:GetPolicyVersion", arn, iam.get_policy, PolicyArn=arn)
    if policy is None:
        return None
    with aws_call("iam:GetPolicyVersion", arn):
        version = iam.get_policy_version(PolicyArn=arn, VersionId=policy["Policy"]["DefaultVersionId"])
    found: dict[str, Any] = version["PolicyVersion"]["Document"]
    return found


def _holds_references(statement: dict[str, Any]) -> bool:
    """A key that is not recorded yet is known to the template alone."""
    return any(isinstance(each, Reference) for each in statement.get("Resource", ()))
