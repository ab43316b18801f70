"""Namespaces and workgroups of Redshift Serverless.

Rules: terraform-provider-aws 6, internal/service/redshiftserverless: `resourceNamespace` (namespace.go), `resourceWorkgroup`
(workgroup.go). Both wait until what they made or changed is AVAILABLE, and a removal until it is gone.
"""

from collections.abc import Mapping
from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, made_by, sends, tags_by
from firnline_local.providers.aws.values import as_list, set_like, tags_of
from firnline_local.providers.kind import Rules

ROLE_ARN = "iamRoleArn="


def _roles_like(found: list[str], known: Any) -> list[str]:
    """`flattenNamespaceIAMRoles`: the service answers IamRole(applyStatus=…, iamRoleArn=…)."""
    return set_like([each.partition(ROLE_ARN)[2].rstrip(")") for each in found], known)


def _found(it: Subject, what: str) -> dict[str, Any]:
    described = it.ask(f"get_{what}")[what]
    tags = it.client.list_tags_for_resource(resourceArn=described[f"{what}Arn"])["tags"]
    return {**described, "tags": {each["key"]: each["value"] for each in tags}}


def _tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return as_list(tags, key="key", value="value")


def _settle_tags(what: str) -> Any:
    words = ("tags", "tagKeys")
    return tags_by(
        *("tag_resource", "untag_resource"),
        written=_tags,
        words=words,
        where=lambda it: {"resourceArn": it.ask(f"get_{what}")[what][f"{what}Arn"]},
    )


def _made(operation: str, id_: str) -> Any:
    make = made_by(operation, id_, tags=_tags, under="tags")
    return lambda it: make(it) if tags_of(it.inputs) else made_by(operation, id_)(it)


NAMESPACE = AwsKind(
    type="aws:redshiftserverless/namespace:Namespace",
    service="redshift-serverless",
    rules=Rules.of(
        "namespaceName dbName region",
        defaults={"manageAdminPassword": False, "tags": {}},
        conflicts="manageAdminPassword adminUserPassword",
    ),
    fields={
        "namespaceName": "namespaceName",
        "dbName": "dbName",
        "iamRoles": WireField("iamRoles", like=_roles_like),
        "defaultIamRoleArn": "defaultIamRoleArn",
        "manageAdminPassword": WireField(
            "manageAdminPassword", found="adminPasswordSecretArn", like=lambda found, _: bool(found)
        ),
    },
    outputs={"arn": "namespaceArn", "namespaceId": "namespaceId"},
    by="namespaceName",
    make=_made("create_namespace", "{namespaceName}"),
    look=lambda it: _found(it, "namespace"),
    updates=(
        sends("update_namespace", "iamRoles defaultIamRoleArn"),
        sends("update_namespace", "manageAdminPassword"),
    ),
    tags=_settle_tags("namespace"),
    remove=lambda it: it.ask("delete_namespace"),
    gone="ResourceNotFoundException",
)
WORKGROUP = AwsKind(  # the provider changes one thing a call: the service takes no two at once
    type="aws:redshiftserverless/workgroup:Workgroup",
    service="redshift-serverless",
    rules=Rules.of("workgroupName namespaceName region", defaults={"publiclyAccessible": False, "tags": {}}),
    fields={
        "workgroupName": "workgroupName",
        "namespaceName": "namespaceName",
        "baseCapacity": "baseCapacity",
        "publiclyAccessible": "publiclyAccessible",
        "enhancedVpcRouting": "enhancedVpcRouting",
        "subnetIds": WireField("subnetIds", like=set_like),
        "securityGroupIds": WireField("securityGroupIds", like=set_like),
        "configParameters": WireField(
            "configParameters", like=set_like
        ),  # all of them, also those that the program does not say
    },
    outputs={"arn": "workgroupArn", "workgroupId": "workgroupId"},
    by="workgroupName",
    make=_made("create_workgroup", "{workgroupName}"),
    look=lambda it: _found(it, "workgroup"),
    updates=tuple(
        sends("update_workgroup", name)
        for name in (
            *("baseCapacity", "configParameters", "enhancedVpcRouting", "publiclyAccessible"),
            *("securityGroupIds", "subnetIds"),
        )
    ),
    tags=_settle_tags("workgroup"),
    remove=lambda it: it.ask("delete_workgroup"),
    gone="ResourceNotFoundException",
)
KINDS = (NAMESPACE, WORKGROUP)
