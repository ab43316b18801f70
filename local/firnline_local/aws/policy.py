"""Evaluation of IAM policies: whether their statements allow an action on a resource.

Pure, and as the IAM user guide has it ("Policy evaluation logic", "IAM JSON policy elements: Condition operators"): a
matching Deny wins over every Allow, and what nothing allows is refused. Permissions boundaries, organisations and session
policies are not evaluated. Statements are those of policy documents, as JSON values; a client of IAM reads a role's.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

Statement: TypeAlias = Mapping[str, Any]
Context: TypeAlias = Mapping[str, str | Sequence[str]]
"""What a request says beyond action and resource: condition keys (in any case) with their values."""

VARIABLE = re.compile(r"\$\{([^}]+)\}")
LITERALS = {"*": "*", "?": "?", "$": "$"}  # ${*} stands for the character itself


def statements_of(document: str | Mapping[str, Any]) -> list[Statement]:
    """Returns the statements of a policy document, given as text or parsed."""
    policy = json.loads(document) if isinstance(document, str) else document
    return as_list(policy.get("Statement", []))


def statements_of_role(iam: Any, name: str) -> list[Statement]:
    """Raises the client's NoSuchEntityException."""
    documents = [
        iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]
    ]
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    return [each for document in (*documents, *managed_documents(iam, attached)) for each in statements_of(document)]


def managed_documents(iam: Any, attached: list[dict[str, str]]) -> Iterator[Any]:
    """Yields the default version of each attached policy."""
    for policy in attached:
        arn = policy["PolicyArn"]
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        yield iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]


def is_allowed(statements: Iterable[Statement], action: str, resource: str, context: Context | None = None) -> bool:
    """Ignores principals: the statements of a resource's own policy have to be filtered by `names` before."""
    effects = {each["Effect"] for each in statements if applies(each, action, resource, context or {})}
    return "Allow" in effects and "Deny" not in effects


def is_denied(statements: Iterable[Statement], action: str, resource: str, context: Context | None = None) -> bool:
    """Tells whether a Deny matches, whatever else allows it."""
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
    """Decides by a resource's own policy beside what is granted to the principal, both of one account.

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
    """Returns whether the statement is about one of them: ARNs, account ids, names of services.

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


def matches(pattern: str, text: str, *, any_case: bool = False) -> bool:
    return _compiled(pattern, any_case).fullmatch(text) is not None


def resolve(pattern: str, context: Context) -> str | None:
    """The pattern with its variables replaced; None if the request has no such key, so that nothing can match."""
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        found = LITERALS.get(match[1]) or next(iter(values_of(match[1].partition(",")[0], context)), None)
        missing = missing or found is None
        return found or ""

    resolved = VARIABLE.sub(value, pattern)
    return None if missing else resolved


def values_of(key: str, context: Context) -> tuple[str, ...]:
    """Keys are compared without case; empty where the request has none."""
    for name, value in context.items():
        if name.lower() == key.lower():
            return (value,) if isinstance(value, str) else tuple(value)
    return ()


def as_list(value: Any) -> list[Any]:
    """Policies write one element for a list of one."""
    return list(value) if isinstance(value, list | tuple) else [value]


@cache
def _compiled(pattern: str, any_case: bool) -> re.Pattern[str]:
    parts = (".*" if part == "*" else "." if part == "?" else re.escape(part) for part in re.split(r"([*?])", pattern))
    return re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if any_case else 0))


Test = Callable[[str, str], bool]
"""(the policy's value, the request's)"""

POSITIVE: Mapping[str, Test] = {
    "StringEquals": lambda wanted, found: wanted == found,
    "StringEqualsIgnoreCase": lambda wanted, found: wanted.lower() == found.lower(),
    "StringLike": matches,
    "ArnEquals": matches,  # the user guide says that both behave identically
    "ArnLike": matches,
    "Bool": lambda wanted, found: wanted.lower() == found.lower(),
    "NumericEquals": lambda wanted, found: float(wanted) == float(found),
    "NumericLessThan": lambda wanted, found: float(found) < float(wanted),
    "NumericLessThanEquals": lambda wanted, found: float(found) <= float(wanted),
    "NumericGreaterThan": lambda wanted, found: float(found) > float(wanted),
    "NumericGreaterThanEquals": lambda wanted, found: float(found) >= float(wanted),
}
NEGATIVE: Mapping[str, Test] = {
    "StringNotEquals": POSITIVE["StringEquals"],
    "StringNotEqualsIgnoreCase": POSITIVE["StringEqualsIgnoreCase"],
    "StringNotLike": matches,
    "ArnNotEquals": matches,
    "ArnNotLike": matches,
    "NumericNotEquals": POSITIVE["NumericEquals"],
}
ALL_VALUES, ANY_VALUE, IF_EXISTS = "ForAllValues:", "ForAnyValue:", "IfExists"


def hold(conditions: Mapping[str, Mapping[str, Any]], context: Context) -> bool:
    """Raises ValueError for an operator that is not known here: to guess would allow or refuse by chance."""
    return all(
        _holds(operator, key, [str(each) for each in as_list(wanted)], context)
        for operator, keys in conditions.items()
        for key, wanted in keys.items()
    )


def _holds(operator: str, key: str, wanted: list[str], context: Context) -> bool:
    found = values_of(key, context)
    if operator == "Null":
        return (wanted[0].lower() == "true") == (not found)
    quantifier = next((each for each in (ALL_VALUES, ANY_VALUE) if operator.startswith(each)), "")
    name = operator.removeprefix(quantifier)
    if name.endswith(IF_EXISTS):
        if not found:
            return True
        name = name.removesuffix(IF_EXISTS)
    if name not in POSITIVE and name not in NEGATIVE:
        raise ValueError(f"The condition operator {operator} is not known to the embedded AWS.")
    if not found:
        return quantifier == ALL_VALUES or (name in NEGATIVE and not quantifier)
    each_holds = [_one(name, wanted, value, context) for value in found]
    return any(each_holds) if quantifier == ANY_VALUE else all(each_holds)


def _one(name: str, wanted: list[str], found: str, context: Context) -> bool:
    resolved = [value for each in wanted if (value := resolve(each, context)) is not None]
    if name in NEGATIVE:
        return not any(NEGATIVE[name](each, found) for each in resolved)
    return any(POSITIVE[name](each, found) for each in resolved)
