"""Redshift Serverless: what reads streams into views. Views are no resources of a stack: the Data API makes them (redshift/)."""

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.redshift.definitions import RedshiftWorkgroup
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, Scope

WHICH_THERE_ARE = "Which there are: a name is one's in its account and region."


def workgroups(blueprint: Blueprint) -> list[RedshiftWorkgroup]:
    destination = blueprint.redshift
    return [] if destination is None or destination.workgroup is None else [destination.workgroup]


NAMESPACE = Kind(
    "aws:redshiftserverless/namespace:Namespace",
    "namespace of Redshift Serverless",
    import_id="{namespaceName}",
    service="redshift-serverless",
    arns=lambda blueprint, arns: [arns.redshift_namespace("*") for _ in workgroups(blueprint)],
    made=workgroups,
    exists=Lookup(
        "redshift-serverless",
        "list_namespaces",
        request=lambda _: {},
        answer="namespaces",
        matches=lambda entry, wanted: entry["namespaceName"] == wanted.name,
    ),
    known_by_tag=True,
    rights=(
        Right("Makes it, with its database.", create="CreateNamespace", scope=Scope.NEW_TAG),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="GetNamespace ListTagsForResource"),
        Right(WHICH_THERE_ARE, read="ListNamespaces", scope=Scope.REGION),
        Right("Which roles it may be, and its encryption.", update="UpdateNamespace"),
        Right("Removes it with its database.", delete="DeleteNamespace"),
    ),
)
WORKGROUP = Kind(
    "aws:redshiftserverless/workgroup:Workgroup",
    "workgroup of Redshift Serverless",
    import_id="{workgroupName}",
    service="redshift-serverless",
    arns=lambda blueprint, arns: [arns.workgroup("*") for _ in workgroups(blueprint)],
    made=workgroups,
    exists=Lookup(
        "redshift-serverless",
        "list_workgroups",
        request=lambda _: {},
        answer="workgroups",
        matches=lambda entry, wanted: entry["workgroupName"] == wanted.name,
    ),
    known_by_tag=True,
    rights=(
        Right("Makes it, over the namespace.", create="CreateWorkgroup", scope=Scope.NEW_TAG),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="GetWorkgroup ListTagsForResource"),
        Right(WHICH_THERE_ARE, read="ListWorkgroups", scope=Scope.REGION),
        Right("Its capacity, network and parameters.", update="UpdateWorkgroup"),
        Right("Removes it.", delete="DeleteWorkgroup"),
    ),
)
