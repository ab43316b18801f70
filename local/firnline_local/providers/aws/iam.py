"""IAM: roles, users, policies, and what ties them together.

Rules: terraform-provider-aws, internal/service/iam/ (`resourceRole`, `resourceUser` and `resourceRolePolicy` read in a version
before 6; `resourcePolicy`, `resourceInstanceProfile`, `resourceUserPolicyAttachment` in 6).
"""

from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, document, made_by, on, sends, tags_by
from firnline_local.providers.aws.values import as_list
from firnline_local.providers.kind import Form, Properties, Rules

MOST_VERSIONS = 5  # IAM user guide, "IAM and AWS STS quotas"
GONE = "NoSuchEntity"
BOUNDARY = WireField("PermissionsBoundary", "PermissionsBoundary.PermissionsBoundaryArn")


def _created(_: Subject, found: Properties) -> str:
    return str(found["CreateDate"].strftime("%Y-%m-%dT%H:%M:%SZ"))


def _set_boundary(it: Subject) -> None:
    of = it.kind.type.rpartition("/")[2].partition(":")[0]
    if boundary := it.inputs.get("permissionsBoundary"):
        it.ask(f"put_{of}_permissions_boundary", PermissionsBoundary=boundary)
    else:
        it.ask(f"delete_{of}_permissions_boundary")


def _remove_role(it: Subject) -> None:
    """A role that still has policies is refused, unless `forceDetachPolicies` says to remove them too."""
    if it.value("forceDetachPolicies"):
        for policy in it.ask("list_attached_role_policies")["AttachedPolicies"]:
            it.ask("detach_role_policy", PolicyArn=policy["PolicyArn"])
        for name in it.ask("list_role_policies")["PolicyNames"]:
            it.ask("delete_role_policy", PolicyName=name)
    it.ask("delete_role")


NAME = Form(r"[\w+=,.@-]*", "a text of letters, digits and _+=,.@-")
"""validResourceName (internal/service/iam/validate.go at 044fb317); Go's \\w is of ASCII."""

ROLE = AwsKind(  # its inline policies are resources of their own
    type="aws:iam/role:Role",
    service="iam",
    rules=Rules.of(
        "name namePrefix path",
        defaults={
            "description": "",
            "forceDetachPolicies": False,
            "maxSessionDuration": 3600,
            "path": "/",
            "permissionsBoundary": None,
            "tags": {},
        },
        conflicts="name namePrefix",
        forms={"name": NAME},
        lengths={"name": (1, 64), "path": (0, 512), "description": (0, 1000)},
        ranges={"maxSessionDuration": (3600, 43200)},
        arns="permissionsBoundary",
        documents="assumeRolePolicy",
    ),
    fields={
        "name": "RoleName",
        "assumeRolePolicy": document("AssumeRolePolicyDocument"),
        "description": WireField("Description", absent=""),
        "maxSessionDuration": WireField("MaxSessionDuration", absent=3600),
        "path": "Path",
        "permissionsBoundary": BOUNDARY,
    },
    outputs={"arn": "Arn", "uniqueId": "RoleId", "createDate": _created},
    kept="forceDetachPolicies",
    by="RoleName",
    make=made_by("create_role", "{name}", tags=as_list),
    look=lambda it: it.ask("get_role")["Role"],
    updates=(
        on(
            "assumeRolePolicy",
            lambda it: it.ask(
                "update_assume_role_policy", PolicyDocument=it.request("assumeRolePolicy")["AssumeRolePolicyDocument"]
            ),
        ),
        sends("update_role", "description maxSessionDuration"),
        on("permissionsBoundary", _set_boundary),
    ),
    tags=tags_by("tag_role", "untag_role"),
    remove=_remove_role,
    gone=GONE,
)


def _split(id_: str, sign: str) -> tuple[str, str]:
    owner, _, name = id_.partition(sign)
    return owner, name


def _put_role_policy(it: Subject) -> str:
    """The service has no other operation to make one than the one that replaces it."""
    it.client.put_role_policy(**it.request())
    return f"{it.inputs['role']}:{it.inputs['name']}"


ROLE_POLICY = AwsKind(
    type="aws:iam/rolePolicy:RolePolicy",
    service="iam",
    rules=Rules.of(
        "name namePrefix role",
        conflicts="name namePrefix",
        forms={"name": NAME},
        lengths={"name": (1, 128), "role": (1, 128)},
        documents="policy",
    ),
    fields={"role": "RoleName", "name": "PolicyName", "policy": document("PolicyDocument")},
    by=lambda it: dict(zip(("RoleName", "PolicyName"), _split(it.id, ":"), strict=True)),
    make=_put_role_policy,
    look=lambda it: it.ask("get_role_policy"),
    updates=(sends("put_role_policy", "policy"),),
    remove=lambda it: it.ask("delete_role_policy"),
    gone=GONE,
)


def _versions(it: Subject) -> list[dict[str, Any]]:
    pages = it.client.get_paginator("list_policy_versions").paginate(PolicyArn=it.id)
    return [version for page in pages for version in page["Versions"]]


def _set_policy(it: Subject) -> None:
    """A new document is a new version, and the default one; of the five that IAM keeps, the oldest makes room."""
    versions = _versions(it)
    if len(versions) >= MOST_VERSIONS:
        oldest = min((each for each in versions if not each["IsDefaultVersion"]), key=lambda each: each["CreateDate"])
        it.ask("delete_policy_version", VersionId=oldest["VersionId"])
    it.ask("create_policy_version", **it.request("policy"), SetAsDefault=True)


def _look_at_policy(it: Subject) -> Properties:
    found = it.ask("get_policy")["Policy"]
    version = it.ask("get_policy_version", VersionId=found["DefaultVersionId"])["PolicyVersion"]
    return {**found, "PolicyDocument": version["Document"]}


def _remove_policy(it: Subject) -> None:
    """Removes the policy, its other versions first, as IAM wants it. A policy that is attached is refused."""
    for version in _versions(it):
        if not version["IsDefaultVersion"]:
            it.ask("delete_policy_version", VersionId=version["VersionId"])
    it.ask("delete_policy")


POLICY = AwsKind(  # what it is attached to are resources of their own
    type="aws:iam/policy:Policy",
    service="iam",
    rules=Rules.of(
        "name namePrefix path description",
        defaults={"description": "", "path": "/", "tags": {}},
        conflicts="name namePrefix",
        forms={"name": NAME},
        lengths={"name": (1, 128)},
        documents="policy",
    ),
    fields={
        "name": "PolicyName",
        "path": "Path",
        "description": WireField("Description", absent=""),
        "policy": document("PolicyDocument"),
    },
    outputs={"id": "Arn", "arn": "Arn", "policyId": "PolicyId", "attachmentCount": "AttachmentCount"},
    by="PolicyArn",
    make=made_by("create_policy", "Policy.Arn", tags=as_list),
    look=_look_at_policy,
    updates=(on("policy", _set_policy),),
    tags=tags_by("tag_policy", "untag_policy"),
    remove=_remove_policy,
    gone=GONE,
)


def _rename_user(it: Subject) -> None:
    it.client.update_user(UserName=it.before["name"], NewUserName=it.inputs["name"], NewPath=it.value("path"))


def _remove_user(it: Subject) -> None:
    """A user that has policies or keys is refused; `forceDestroy` removes the keys first. Of what the stock provider removes
    then, passwords and devices among it, a user has nothing else here."""
    if it.value("forceDestroy"):
        for key in it.ask("list_access_keys")["AccessKeyMetadata"]:
            it.ask("delete_access_key", AccessKeyId=key["AccessKeyId"])
    it.ask("delete_user")


USER = AwsKind(
    type="aws:iam/user:User",
    service="iam",
    rules=Rules.of(
        defaults={"forceDestroy": False, "path": "/", "permissionsBoundary": None, "tags": {}},
        forms={"name": Form(r"[0-9A-Za-z=,.@_+-]+", "a text of letters, digits and =,.@_+-")},
        lengths={"permissionsBoundary": (0, 2048)},
    ),
    fields={"name": "UserName", "path": "Path", "permissionsBoundary": BOUNDARY},
    outputs={"id": "UserName", "arn": "Arn", "uniqueId": "UserId"},
    kept="forceDestroy",
    # It is renamed and moved, and is not another one afterwards: its id is where it is only until then.
    by=lambda it: {"UserName": it.inputs.get("name") or it.id},
    make=made_by("create_user", "{name}", tags=as_list),
    look=lambda it: {**it.ask("get_user")["User"], "Tags": it.ask("list_user_tags")["Tags"]},
    updates=(on("name path", _rename_user), on("permissionsBoundary", _set_boundary)),
    tags=tags_by("tag_user", "untag_user"),
    remove=_remove_user,
    gone=GONE,
)


def _look_at_attachment(it: Subject) -> Properties | None:
    user, policy = _split(it.id, "/")  # an ARN has slashes too; a user's name has none
    pages = it.client.get_paginator("list_attached_user_policies").paginate(UserName=user)
    attached = {each["PolicyArn"] for page in pages for each in page["AttachedPolicies"]}
    return {"UserName": user, "PolicyArn": policy} if policy in attached else None


USER_POLICY_ATTACHMENT = AwsKind(
    type="aws:iam/userPolicyAttachment:UserPolicyAttachment",
    service="iam",
    rules=Rules.of("user policyArn", arns="policyArn"),
    fields={"user": "UserName", "policyArn": "PolicyArn"},
    by=lambda it: dict(zip(("UserName", "PolicyArn"), _split(it.id, "/"), strict=True)),
    make=made_by("attach_user_policy", "{user}/{policyArn}"),  # attaching twice is attaching once
    look=_look_at_attachment,
    remove=lambda it: it.ask("detach_user_policy"),
    gone=GONE,
)


def _take_role(it: Subject) -> None:
    for role in it.ask("get_instance_profile")["InstanceProfile"]["Roles"]:
        it.ask("remove_role_from_instance_profile", RoleName=role["RoleName"])


def _set_role(it: Subject) -> None:
    _take_role(it)
    if role := it.inputs.get("role"):
        it.ask("add_role_to_instance_profile", RoleName=role)


def _remove_profile(it: Subject) -> None:
    """IAM wants the role taken out first."""
    _take_role(it)
    it.ask("delete_instance_profile")


INSTANCE_PROFILE = AwsKind(  # with the one role that IAM takes for each
    type="aws:iam/instanceProfile:InstanceProfile",
    service="iam",
    rules=Rules.of(
        "name namePrefix path",
        defaults={"path": "/", "role": None, "tags": {}},
        conflicts="name namePrefix",
        forms={"name": NAME},
        lengths={"name": (1, 128)},
    ),
    fields={
        "name": "InstanceProfileName",
        "path": "Path",
        "role": WireField(found="Roles", like=lambda roles, _: next((role["RoleName"] for role in roles), None)),
    },
    outputs={"arn": "Arn", "uniqueId": "InstanceProfileId", "createDate": _created},
    by="InstanceProfileName",
    make=made_by("create_instance_profile", "{name}", tags=as_list),
    later="role",
    look=lambda it: it.ask("get_instance_profile")["InstanceProfile"],
    updates=(on("role", _set_role),),
    tags=tags_by("tag_instance_profile", "untag_instance_profile"),
    remove=_remove_profile,
    gone=GONE,
)
KINDS = (INSTANCE_PROFILE, POLICY, ROLE, ROLE_POLICY, USER, USER_POLICY_ATTACHMENT)
