"""Rules for who may do what in AWS: policies of roles and users, of resources, and trusts."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.blueprint.iam import redshift, runtime, trust, volume
from firnline_infra.policy.declared import DeclaredResource, DeclaredStack, is_known, listed
from firnline_infra.policy.rule import Breach, PolicyRule, text_of
from firnline_ingest.permissions import PERMISSIONS, Resource

IDENTITIES = (
    *("aws_iam_role_policy", "aws_iam_user_policy", "aws_iam_group_policy", "aws_iam_policy", "aws_iam_role"),
    *("aws_iam_user_policy_attachment", "aws_iam_role_policy_attachment", "aws_iam_group_policy_attachment"),
    *("aws_iam_policy_attachment", "aws_iam_role_policies_exclusive", "aws_iam_role_policy_attachments_exclusive"),
    *("aws_iam_user_policy_attachments_exclusive", "aws_iam_group_policy_attachments_exclusive"),
)
PAST_POLICIES = ("aws_kms_grant", "aws_iam_user_group_membership", "aws_iam_group_membership")
"""What gives rights, and shows no policy that says which."""
PRINCIPALS = ("aws_iam_role", "aws_iam_user")
UNDIVIDED = {
    **{each.action: each.why for each in PERMISSIONS if each.on in (Resource.EVERY_STREAM, Resource.EVERY_SCHEMA)},
    **dict.fromkeys(redshift.LIST_ACTIONS, "Redshift's page on streaming ingestion gives it for every stream."),
    **dict.fromkeys(runtime.NODE_ACTIONS, "A node reads about its own cluster, whose id AWS makes up."),
    "logs:DescribeLogGroups": "AWS can't narrow it to some groups.",
}
"""Actions that may be allowed on everything of their kind, each with its reason."""
TAGGED = {redshift.RUN: "AWS makes up the id of a workgroup."}
"""Actions that may be allowed on all of their kind that has the application's tag, each with its reason."""
OF_APPLICATION = "aws:resourcetag/firnline:application"
NAMED = {
    *(each.action for each in PERMISSIONS),
    *(trust.ASSUME, trust.TAG_SESSION, redshift.RUN, redshift.LOG_IN),
    *(*redshift.READ_ACTIONS, *redshift.LIST_ACTIONS, *volume.OBJECT_ACTIONS, *volume.FIND_ACTIONS),
    *(*runtime.NODE_ACTIONS, *runtime.LOG_ACTIONS, "logs:DescribeLogGroups", "logs:DescribeLogStreams"),
}
"""Every action that a role or a user of an environment needs; docs/permissions.md has the engine's with their reasons."""
THROUGH = "kms:viaservice"
NAMED_THROUGH = frozenset(redshift.USE_KEY)
"""Actions on a key that a role needs through a service alone."""
UNCONDITIONED = ("ec2.amazonaws.com", "ec2.amazonaws.com.cn")
"""What has no source that a trust could name: who may start instances as the role is said by iam:PassRole."""
NARROWING = re.compile(r"(String(Equals|Like|EqualsIgnoreCase)|Arn(Equals|Like))")
"""What refuses a request without the key; ForAllValues and IfExists let it through."""
BEGINS_WIDE = re.compile(".{0,2}[*?]")
"""Fewer than three characters before a wildcard name nothing."""
MANY_ACCOUNTS = re.compile(r"\d+[*?]")
WHOLE_ACCOUNT = re.compile(r"\d{12}|arn:[\w-]+:iam::\d{12}:root")
"""All whom its administrators allow it."""
Statement = Mapping[str, Any]


def _documents(resource: DeclaredResource) -> Iterator[tuple[str, Any]]:
    """Yields its policies, each with the argument that holds it."""
    for name, value in resource.arguments.items():
        if name == "policy" or name.endswith("_policy"):
            yield name, value
    for block in resource.blocks("inline_policy"):
        yield "inline_policy", block.get("policy")


def _statements(resource: DeclaredResource) -> Iterator[tuple[str, Statement]]:
    """The statements of its policies, each with its path. A value that can't be a policy, such as the name of one, has none."""
    for name, value in _documents(resource):
        try:
            document = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            continue
        for at, each in enumerate(listed(document.get("Statement")) if isinstance(document, Mapping) else ()):
            yield f"{name}.{each.get('Sid') or f'Statement[{at}]'}", each


def _allowed(resource: DeclaredResource) -> Iterator[tuple[str, Statement]]:
    return ((path, each) for path, each in _statements(resource) if each.get("Effect") != "Deny")


def denied(resource: DeclaredResource) -> Iterator[Statement]:
    """The statements that deny."""
    return (each for _, each in _statements(resource) if each.get("Effect") == "Deny")


def _wide_actions(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    for path, each in _allowed(resource):
        if _is_key_of_account(resource, each):
            continue
        if "NotAction" in each:
            yield Breach(path, "Action", f"NotAction {text_of(listed(each['NotAction']))}")
        for action in listed(each.get("Action")):
            if "*" in action or "?" in action:
                yield Breach(path, "each action by its name", action)


def _is_key_of_account(resource: DeclaredResource, each: Statement) -> bool:
    """AWS KMS's own default: without it no IAM policy could allow anything on the key, and it could never be administered. It is
    for one account, which is the key's own: KMS refuses a policy that locks its writer out, unless that is bypassed.
    """
    everything = [one for _, one in _allowed(resource) if listed(one.get("Action")) == ["kms:*"]]
    if resource.type != "aws_kms_key" or each not in everything or resource.at("bypass_policy_lockout_safety_check"):
        return False
    accounts = {whom for one in everything for whom in _principals(one)}
    return len(accounts) == 1 and all(map(WHOLE_ACCOUNT.fullmatch, accounts))


def _wide_resources(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    for path, each in _allowed(resource):
        if path.startswith("assume_role_policy"):
            continue
        if "NotResource" in each:
            yield Breach(path, "Resource", f"NotResource {text_of(listed(each['NotResource']))}")
        undivided = {*UNDIVIDED, *(TAGGED if OF_APPLICATION in _narrowed_by(each) else ())}
        if not undivided.issuperset(listed(each.get("Action"))):
            for arn in listed(each.get("Resource")):
                if _is_wide(str(arn)):
                    yield Breach(path, "the ARNs that are meant", str(arn))


def _is_wide(arn: str) -> bool:
    """Returns whether it names all of a kind, or another account's: a wildcard where the name begins, or before it."""
    parts = arn.split(":", 5)
    if len(parts) < 6:
        return "*" in arn or "?" in arn
    *place, what = parts
    if any("*" in each or "?" in each for each in place):
        return True
    if parts[2] == "s3":
        return bool(re.search(r"[*?]", what.partition("/")[0]))
    kind, *name = re.split(r"[/:]", what, maxsplit=1)
    return bool(re.search("[*?]", kind) or any(BEGINS_WIDE.match(each) for each in name))


def _wide_principals(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    for path, each in _allowed(resource):
        if "NotPrincipal" in each:
            yield Breach(path, "Principal", f"NotPrincipal {text_of(each['NotPrincipal'])}")
        for whom in _principals(each):
            is_judged_elsewhere = path.startswith("assume_role_policy") or listed(each.get("Action")) == ["kms:*"]
            is_account = WHOLE_ACCOUNT.fullmatch(whom) and not is_judged_elsewhere
            is_wide = "*" in whom or "?" in whom or is_account
            if is_known(whom) and is_wide:
                yield Breach(path, "principals by their ARNs", whom)
    if resource.at("principal") == "*":
        yield Breach("principal", "who is meant", "*")


def _principals(each: Statement) -> Iterator[str]:
    found = each.get("Principal")
    for value in found.values() if isinstance(found, Mapping) else [found]:
        yield from map(str, listed(value))


def _open_trusts(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    """The confused deputy of IAM's user guide: a service, a provider of identities, another account."""
    needed = {
        "Service": ("aws:sourceaccount", "aws:sourcearn", "sts:externalid"),
        "Federated": (":sub",),
        "AWS": ("sts:externalid",),
    }
    for path, each in _allowed(resource):
        principal = each.get("Principal")
        if not path.startswith("assume_role_policy") or not isinstance(principal, Mapping):
            continue
        keys = list(_narrowed_by(each))
        for kind, whom in principal.items():
            asked = needed.get(kind, ())
            if set(listed(whom)) <= set(UNCONDITIONED) or any(key.endswith(asked) for key in keys):
                continue
            yield Breach(
                path, f"a condition on {' or '.join(asked) or 'it'}", f"{kind} {text_of(listed(whom))}, without"
            )


def _narrowed_by(each: Statement) -> Iterator[str]:
    """The keys of conditions that let through some values alone."""
    for operator, asked in (each.get("Condition") or {}).items():
        for key, values in asked.items() if NARROWING.fullmatch(operator) else ():
            parts = [part for one in listed(values) for part in str(one).split(":")]
            if parts and not any(BEGINS_WIDE.match(part) or MANY_ACCOUNTS.match(part) for part in parts):
                yield key.lower()


def _unnamed_actions(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    if resource.type in PAST_POLICIES:
        yield Breach("", "a policy of this stack", resource.type)
    for path, each in _allowed(resource):
        if not path.startswith("assume_role_policy"):
            named = NAMED | NAMED_THROUGH if THROUGH in _narrowed_by(each) else NAMED
            for action in listed(each.get("Action")):
                if action not in named and "*" not in action:
                    yield Breach(path, "actions that an environment needs", action)
    attached = [*listed(resource.at("policy_arn")), *listed(resource.at("managed_policy_arns"))]
    for arn in (*attached, *listed(resource.at("policy_arns"))):
        if is_known(arn):
            yield Breach("policy_arn", "a policy of this stack", arn)


def _unbounded(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    found = resource.at("permissions_boundary")
    if not found or ":iam::aws:" in str(found):
        yield Breach("permissions_boundary", "the boundary of the bootstrap", text_of(found))


RULES = (
    PolicyRule(
        "wildcard-action",
        "A policy allows actions by a wildcard, or all but some.",
        (),
        _wide_actions,
        "name each action. One that is meant so: an entry with its reason in ENV.policy.yaml.",
        judges_alone=True,
    ),
    PolicyRule(
        "wildcard-resource",
        "A role or a user may do something with everything of a kind, or all but some.",
        IDENTITIES,
        _wide_resources,
        "name the ARNs. An action that AWS can't narrow: an entry with its reason in ENV.policy.yaml.",
        judges_alone=True,
    ),
    PolicyRule(
        "wildcard-principal",
        "A policy lets anybody in, all but some, or a whole account.",
        (),
        _wide_principals,
        "name who it is for.",
        judges_alone=True,
    ),
    PolicyRule(
        "trust",
        "A role can be taken through a service, a provider or an account on behalf of another account.",
        ("aws_iam_role",),
        _open_trusts,
        "add a condition: aws:SourceAccount or aws:SourceArn for a service (sts:ExternalId for Redshift), the token's :sub for "
        "a provider, sts:ExternalId for an account.",
        judges_alone=True,
    ),
    PolicyRule(
        "least-privilege",
        "A role or a user may do what no part of an environment needs.",
        (*IDENTITIES, *PAST_POLICIES),
        _unnamed_actions,
        "remove the action. One that the team's own code needs: an entry with its reason in ENV.policy.yaml.",
        judges_alone=True,
    ),
    PolicyRule(
        "permissions-boundary",
        "A role or a user has no permissions boundary.",
        PRINCIPALS,
        _unbounded,
        "aws.permissions_boundary: the one that `firnline bootstrap ENV` renders.",
        judges_alone=True,
    ),
)
