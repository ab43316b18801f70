"""Namespaces and workgroups of Redshift Serverless, and provisioned clusters.

Rules: terraform-provider-aws 6, internal/service/redshiftserverless: `resourceNamespace` (namespace.go), `resourceWorkgroup`
(workgroup.go); internal/service/redshift: `resourceCluster` (cluster.go). All wait until what they made or changed is available,
and a removal until it is gone.
"""

from collections.abc import Mapping
from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, made_by, sends, tags_by
from firnline_local.providers.aws.values import as_list, set_like, tags_of
from firnline_local.providers.kind import Form, Rules

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
        values={"logExports": "useractivitylog userlog connectionlog"},
        conflicts="manageAdminPassword adminUserPassword",
        arns="iamRoles",
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


def _cluster(it: Subject) -> dict[str, Any]:
    found: dict[str, Any] = it.ask("describe_clusters")["Clusters"][0]
    return found


def _remove_cluster(it: Subject) -> None:
    last = it.inputs.get("finalSnapshotIdentifier")
    kept = {"FinalClusterSnapshotIdentifier": last} if last else {}
    it.ask("delete_cluster", SkipFinalClusterSnapshot=bool(it.value("skipFinalSnapshot")), **kept)


CLUSTER = AwsKind(
    type="aws:redshift/cluster:Cluster",
    service="redshift",
    rules=Rules.of(
        "clusterIdentifier clusterSubnetGroupName masterUsername region",
        defaults={
            "numberOfNodes": 1,
            "automatedSnapshotRetentionPeriod": 1,
            "encrypted": "true",
            "publiclyAccessible": False,
            "skipFinalSnapshot": False,
            "manageMasterPassword": False,
            "tags": {},
        },
        conflicts="manageMasterPassword masterPassword",
        forms={
            "clusterIdentifier": Form(
                r"(?!.*--)[a-z](?:[0-9a-z-]*[0-9a-z])?",
                "a text of small letters, digits and single hyphens that begins with a letter and ends with none of the last",
            ),
            "databaseName": Form(
                r"[a-z_][0-9a-z_$]*", "a text of small letters, digits, _ and $ that begins with no digit"
            ),
            "masterUsername": Form(
                r"[A-Za-z][0-9A-Za-z+.@_-]*", "a text of letters, digits and +.@_- that begins with a letter"
            ),
            "finalSnapshotIdentifier": Form(
                r"(?!.*--)(?!.*-$)[0-9A-Za-z-]+", "a text of letters, digits and single hyphens that ends with none"
            ),
        },
        lengths={"databaseName": (1, 64), "masterUsername": (1, 128), "finalSnapshotIdentifier": (1, 255)},
        ranges={"automatedSnapshotRetentionPeriod": (0, 35), "port": (1115, 65535)},
        arns="iamRoles kmsKeyId defaultIamRoleArn",
    ),
    fields={
        "clusterIdentifier": "ClusterIdentifier",
        "databaseName": WireField("DBName"),
        "nodeType": "NodeType",
        "numberOfNodes": WireField("NumberOfNodes"),
        "masterUsername": "MasterUsername",
        "manageMasterPassword": WireField(
            "ManageMasterPassword", found="MasterPasswordSecretArn", like=lambda found, _: bool(found)
        ),
        "iamRoles": WireField(
            "IamRoles", like=lambda found, known: set_like([each["IamRoleArn"] for each in found], known)
        ),
        "defaultIamRoleArn": "DefaultIamRoleArn",
        "encrypted": WireField("Encrypted", sent=lambda said: said == "true", like=lambda found, _: str(found).lower()),
        "kmsKeyId": "KmsKeyId",
        "publiclyAccessible": "PubliclyAccessible",
        "enhancedVpcRouting": "EnhancedVpcRouting",
        "automatedSnapshotRetentionPeriod": "AutomatedSnapshotRetentionPeriod",
        "clusterSubnetGroupName": "ClusterSubnetGroupName",
        "clusterParameterGroupName": "ClusterParameterGroupName",
        "vpcSecurityGroupIds": WireField(
            "VpcSecurityGroupIds",
            found="VpcSecurityGroups",
            like=lambda found, known: set_like([each["VpcSecurityGroupId"] for each in found], known),
        ),
    },
    outputs={
        "arn": lambda it, _: f"arn:aws:redshift:{it.clients.region}:{it.clients.account}:cluster:{it.id}",
        "masterPasswordSecretArn": "MasterPasswordSecretArn",
    },
    kept="skipFinalSnapshot finalSnapshotIdentifier",
    by="ClusterIdentifier",
    make=made_by("create_cluster", "{clusterIdentifier}", tags=as_list),
    look=_cluster,
    updates=(
        sends("modify_cluster", "nodeType numberOfNodes"),
        sends("modify_cluster", "encrypted kmsKeyId"),
        *(
            sends("modify_cluster", name)
            for name in (
                *("publiclyAccessible", "enhancedVpcRouting", "automatedSnapshotRetentionPeriod"),
                *("clusterParameterGroupName", "vpcSecurityGroupIds"),
            )
        ),
    ),
    tags=tags_by("create_tags", "delete_tags", where=lambda it: {"ResourceName": it.output("arn")}),
    remove=_remove_cluster,
    gone="ClusterNotFound ClusterNotFoundFault",
)
KINDS = (NAMESPACE, WORKGROUP, CLUSTER)
