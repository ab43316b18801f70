"""The policies of a role, read from IAM: inline ones, and those that are attached."""

from collections.abc import Iterator
from typing import Any

from firnline_local.aws.policy import Statement, statements_of


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
