"""Rights on what has an id of AWS's making: whose it is, its tag says. It gets the tag while it is made.

What exists without our tag can't be changed by these. A security group can't be taken either: EC2 tells a tag that is given at
the creation from one that is given later. EMR Serverless does not, so an application that has no tag of ours could be given
one (docs/permissions.md says what that means).
"""

from collections.abc import Callable, Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.kinds import Kind, Scope
from firnline_infra.kinds.eks import ASSOCIATION
from firnline_infra.kinds.emr import CLUSTER, SERVERLESS, VIRTUAL_CLUSTER
from firnline_infra.kinds.network import SECURITY_GROUP, VPC_ENDPOINT
from firnline_infra.kinds.redshift import NAMESPACE, WORKGROUP
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.render.bootstrap.redshift import namespace, workgroup
from firnline_infra.render.bootstrap.tagged_clusters import application, association, machines, virtual_cluster
from firnline_infra.render.bootstrap.tagged_network import security_group, vpc_endpoint
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of

MAKING: dict[Kind, Callable[[EnvironmentSpec, Blueprint], Iterator[PolicyStatement]]] = {
    SECURITY_GROUP: security_group,
    SERVERLESS: application,
    VIRTUAL_CLUSTER: virtual_cluster,
    ASSOCIATION: association,
    CLUSTER: machines,
    VPC_ENDPOINT: vpc_endpoint,
    NAMESPACE: namespace,
    WORKGROUP: workgroup,
}


def known_by_tag(
    spec: EnvironmentSpec, blueprint: Blueprint, kind: Kind, arns: tuple[str, ...], *, reading: bool
) -> Iterator[PolicyStatement]:
    if not reading:
        yield from MAKING[kind](spec, blueprint)
    if own := kind.actions(Scope.OWN, reading=reading):
        ours = {f"aws:ResourceTag/{OURS}": application_of(spec)}
        yield allow(f"Own{kind.type_name}", own, resources=arns, conditions={"StringEquals": ours})
