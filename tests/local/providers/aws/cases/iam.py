"""Roles with their inline policies and instance profiles, users, and the managed policies that these have."""

from firnline_local.providers.aws import iam

from .case import Case, a_policy, a_role, a_user, fresh, policy, trust

CASES = [
    Case(
        kind=iam.ROLE,
        inputs=lambda _: {
            "name": fresh("role"),
            "assumeRolePolicy": trust("emr-serverless.amazonaws.com"),
            "description": "runs it",
            "maxSessionDuration": 7200,
            "path": "/firnline/",
            "tags": {"a": "1"},
        },
        taken="EntityAlreadyExists",
        behind={
            "assumeRolePolicy": lambda c, i: c.aws("iam").update_assume_role_policy(
                RoleName=i, PolicyDocument=trust("ec2.amazonaws.com")
            ),
            "description": lambda c, i: c.aws("iam").update_role(RoleName=i, Description="", MaxSessionDuration=7200),
            "maxSessionDuration": lambda c, i: c.aws("iam").update_role(
                RoleName=i, Description="runs it", MaxSessionDuration=3600
            ),
            "permissionsBoundary": lambda c, i: c.aws("iam").put_role_permissions_boundary(
                RoleName=i, PermissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess"
            ),
            "tags": lambda c, i: c.aws("iam").tag_role(RoleName=i, Tags=[{"Key": "a", "Value": "2"}]),
        },
        changes={
            "assumeRolePolicy": trust("ec2.amazonaws.com"),
            "description": "other",
            "maxSessionDuration": 3600,
            "permissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=iam.ROLE_POLICY,
        inputs=lambda c: {"name": "read", "role": a_role(c), "policy": policy("kinesis:GetRecords")},
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("iam").put_role_policy(
                RoleName=i.partition(":")[0], PolicyName="read", PolicyDocument=policy("kinesis:*")
            )
        },
        changes={"policy": policy("kinesis:PutRecord")},
    ),
    Case(
        kind=iam.INSTANCE_PROFILE,
        inputs=lambda c: {"name": fresh("profile"), "path": "/firnline/", "role": a_role(c), "tags": {"a": "1"}},
        taken="EntityAlreadyExists",
        behind={
            "role": lambda c, i: c.aws("iam").remove_role_from_instance_profile(
                InstanceProfileName=i, RoleName=(iam.INSTANCE_PROFILE.read(i, {}, c) or {})["role"]
            ),
            "tags": lambda c, i: c.aws("iam").untag_instance_profile(InstanceProfileName=i, TagKeys=["a"]),
        },
        changes={"tags": {"b": "2"}},
    ),
    Case(
        kind=iam.USER,
        inputs=lambda _: {"name": fresh("user"), "path": "/firnline/", "tags": {"a": "1"}},
        taken="EntityAlreadyExists",
        behind={
            "tags": lambda c, i: c.aws("iam").untag_user(UserName=i, TagKeys=["a"]),
            "permissionsBoundary": lambda c, i: c.aws("iam").put_user_permissions_boundary(
                UserName=i, PermissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess"
            ),
        },
        changes={
            "name": fresh("renamed"),
            "path": "/other/",
            "tags": {"b": "2"},
            "permissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
        },
    ),
    Case(
        kind=iam.POLICY,
        inputs=lambda _: {
            "name": fresh("policy"),
            "path": "/firnline/",
            "description": "reads",
            "policy": policy("kinesis:GetRecords"),
            "tags": {"a": "1"},
        },
        taken="EntityAlreadyExists",
        behind={
            "policy": lambda c, i: c.aws("iam").create_policy_version(
                PolicyArn=i, PolicyDocument=policy("kinesis:*"), SetAsDefault=True
            ),
            "tags": lambda c, i: c.aws("iam").tag_policy(PolicyArn=i, Tags=[{"Key": "a", "Value": "2"}]),
        },
        changes={"policy": policy("kinesis:PutRecord"), "tags": {"b": "2"}},
    ),
    Case(
        kind=iam.USER_POLICY_ATTACHMENT,
        inputs=lambda c: {"user": a_user(c), "policyArn": a_policy(c)},
        taken=None,
    ),
]
