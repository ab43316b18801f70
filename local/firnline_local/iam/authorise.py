"""Whether statements allow an action on a resource (IAM user guide, "Policy evaluation logic").

Pure. A Deny that matches wins over every Allow; what nothing allows is refused. Boundaries, organisations and sessions are
not known here. Statements are those of policy documents, as JSON values.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

from firnline_local.iam.conditions import hold
from firnline_local.iam.patterns import Context, as_list, matches, resolve

Statement: TypeAlias = Mapping[str, Any]


def statements_of(document: str | Mapping[str, Any]) -> list[Statement]:
    """Of a policy document, as text or parsed."""
    policy = json.loads(document) if isinstance(document, str) else document
    return as_list(policy.get("Statement", []))


def is_allowed(statements: Iterable[Statement], action: str, resource: str, context: Context | None = None) -> bool:
    """Statements of a resource's own policy are judged without their principals: filter by `names` before."""
    effects = {each["Effect"] for each in statements if applies(each, action, resource, context or {})}
    return "Allow" in effects and "Deny" not in effects


def is_denied(statements: Iterable[Statement], action: str, resource: str, context: Context | None = None) -> bool:
    """Explicitly, whatever else allows it."""
    return any(each["Effect"] == "Deny" and applies(each, action, resource, context or {}) for each in statements)


def applies(statement: Statement, action: str, resource: str, context: Context) -> bool:
    return (
        _covers(statement, "Action", action, context, any_case=True)
        and _covers(statement, "Resource", resource, context)
        and hold(statement.get("Condition", {}), context)
    )


def is_allowed_on(
    own: Iterable[Statement],
    granted: Iterable[Statement],
    action: str,
    resource: str,
    *,
    principal: str,
    context: Context | None = None,
    needs_own: bool = False,
) -> bool:
    """With a resource's own policy beside what is granted to the principal, both of one account.

    What the resource gives to the principal by name is enough. What it gives to the account has to be granted on; only a
    resource that `needs_own`, a KMS key, has to give it to the account at all.
    """
    about = [each for each in own if names(each, {principal})]
    if is_denied([*about, *(granted := list(granted))], action, resource, context):
        return False
    if is_allowed((each for each in about if names(each, {principal}, by_account=False)), action, resource, context):
        return True
    return is_allowed(granted, action, resource, context) and (
        not needs_own or is_allowed(about, action, resource, context)
    )


def names(statement: Statement, principals: Collection[str], *, by_account: bool = True) -> bool:
    """Whether the statement is about one of them: ARNs, account ids, names of services.

    An account (its id, or its root's ARN) stands for all of its principals, unless `by_account` is off.
    """
    if "NotPrincipal" in statement:
        return not _names(statement["NotPrincipal"], principals, by_account=by_account)
    return _names(statement.get("Principal", {}), principals, by_account=by_account)


def account_of(principal: str) -> str:
    """The account id in an ARN; empty where there is none."""
    parts = principal.split(":")
    return parts[4] if len(parts) >= 6 else ""


def _names(element: Any, principals: Collection[str], *, by_account: bool) -> bool:
    if element == "*":
        return True
    wanted = [str(each) for kind in element.values() for each in as_list(kind)]
    accounts = {account_of(principal) for principal in principals} - {""} if by_account else set()
    return any(each == "*" or each in principals or _account_named(each) in accounts for each in wanted)


def _account_named(principal: str) -> str | None:
    if principal.isdecimal():
        return principal
    return account_of(principal) if principal.endswith(":root") else None


def _covers(statement: Statement, element: str, value: str, context: Context, *, any_case: bool = False) -> bool:
    """A statement without the element is one of a trust or a resource, which it is always about."""
    if f"Not{element}" in statement:
        return not _matches_any(statement[f"Not{element}"], value, context, any_case=any_case)
    return element not in statement or _matches_any(statement[element], value, context, any_case=any_case)


def _matches_any(patterns: Any, value: str, context: Context, *, any_case: bool) -> bool:
    resolved = (resolve(str(pattern), context) for pattern in as_list(patterns))
    return any(pattern is not None and matches(pattern, value, any_case=any_case) for pattern in resolved)
