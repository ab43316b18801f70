"""Checks that whoever runs this may do what deploying asks for, action by action: AWS simulates the rendered policy's requests.

A simulation knows the identity's policies and boundary, no policy of an organisation and none of a resource. Where it is not
allowed, that is said; nothing is taken for granted.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.render.bootstrap.deployer import STATE_KEY_ARN, deployer_statements
from firnline_ingest.checks import Finding, good, unknown, wrong

AT_ONCE = 100
"""Actions of one request; IAM's answer is paged beyond."""
DENIED = {"AccessDenied", "AccessDeniedException"}
BOOTSTRAP = "attach the policies of `firnline bootstrap`, or deploy as the role that it makes"


def rights(blueprint: Blueprint, iam: Any, caller_arn: str) -> Iterator[Finding]:
    """One finding for each statement with actions that are denied. Raises a botocore error for anything but a refusal."""
    from botocore.exceptions import ClientError
    from botocore.parsers import ResponseParserError

    source = identity_of(caller_arn)
    statements = [each for each in deployer_statements(blueprint) if STATE_KEY_ARN not in each.resources]
    allowed = 0
    for statement in statements:
        try:
            denied = list(_denied(iam, source, statement))
        except ClientError as error:
            code = error.response["Error"]["Code"]
            step = f"look whether {source} is a role or user of this account"
            if code in DENIED:
                step = f"allow iam:SimulatePrincipalPolicy on {source}, or compare with docs/permissions.md by hand"
            said = f"could not be simulated: {code}: {error.response['Error']['Message']}"
            yield unknown(f"rights of {source}", said, next_step=step)
            return
        except ResponseParserError:
            yield unknown(f"rights of {source}", "this IAM simulates nothing", next_step="ask the account's own")
            return
        for action, why in denied:
            where = ", ".join(map(str, statement.resources[:3]))
            yield wrong(f"{action} ({statement.sid})", f"{why} on {where}", next_step=BOOTSTRAP)
        allowed += len(statement.actions) - len(denied)
    yield good(f"rights of {source}", f"{allowed} actions of {len(statements)} statements are allowed")


def identity_of(caller_arn: str) -> str:
    """A session of a role is simulated as the role."""
    head, _, rest = caller_arn.partition(":assumed-role/")
    if not rest:
        return caller_arn
    return f"{head.replace(':sts:', ':iam:')}:role/{rest.partition('/')[0]}"


def _denied(iam: Any, source: str, statement: PolicyStatement) -> Iterator[tuple[str, str]]:
    for start in range(0, len(statement.actions), AT_ONCE):
        request = {
            "PolicySourceArn": source,
            "ActionNames": list(statement.actions[start : start + AT_ONCE]),
            "ResourceArns": [_example(str(each)) for each in statement.resources] or ["*"],
            "ContextEntries": [*_context(statement)],
        }
        for result in _all(iam, request):
            if result["EvalDecision"] != "allowed":
                yield result["EvalActionName"], _decision(result)


def _all(iam: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    more: dict[str, str] = {}
    while True:
        answer = iam.simulate_principal_policy(**request, **more)
        yield from answer["EvaluationResults"]
        if not answer.get("IsTruncated"):
            return
        more = {"Marker": answer["Marker"]}


def _decision(result: Mapping[str, Any]) -> str:
    if result["EvalDecision"] == "explicitDeny":
        return "is denied by a policy"
    beyond = (result.get("PermissionsBoundaryDecisionDetail") or {}).get("AllowedByPermissionsBoundary") is False
    return "is beyond the permissions boundary" if beyond else "is allowed by no policy"


def _example(resource: str) -> str:
    """One of the resources that a pattern stands for: a simulation is about a request, and takes no ? for a letter."""
    return resource if resource == "*" else resource.replace("?", "a").replace("*", "example")


def _context(statement: PolicyStatement) -> Iterator[dict[str, Any]]:
    """Yields the context of a request of ours, by the conditions that the statement asks for."""
    for operator, conditions in statement.conditions.items():
        if operator == "Null":
            continue
        kind = "boolean" if operator == "Bool" else "string"
        for key, value in conditions.items():
            values = [str(each) for each in (value if isinstance(value, tuple) else (value,))]
            type_ = f"{kind}List" if operator.startswith("ForAllValues") else kind
            yield {
                "ContextKeyName": key,
                "ContextKeyValues": values[:1] if type_ == kind else values,
                "ContextKeyType": type_,
            }
