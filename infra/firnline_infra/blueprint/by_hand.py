"""What a specification asks for and no stack makes yet: told before anything is made, with what makes it by hand."""

import json
import shlex
from collections.abc import Mapping

from firnline_infra.blueprint.runtime import Ec2Cluster, PodIdentityAssociation, RuntimeParts, VirtualCluster
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.errors import MadeByHand
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names


def made_by_hand(spec: EnvironmentSpec, parts: RuntimeParts) -> MadeByHand | None:
    """None where the stack makes all."""
    found = [part for part in (_of_eks(spec, parts), _of_ec2(spec, parts), _of_pods(spec, parts)) if part]
    return MadeByHand([asked for asked, _ in found], [step for _, step in found]) if found else None


def _of_eks(spec: EnvironmentSpec, parts: RuntimeParts) -> tuple[str, str] | None:
    if parts.virtual_cluster is None:
        return None
    return (
        "aws.runtime.emr_eks asks for (a virtual cluster)",
        f"{_virtual_cluster(spec, parts.virtual_cluster)}\n    and then "
        "emr_eks: {origin: adopt, virtual_cluster_id: <the id that it prints>}",
    )


def _of_ec2(spec: EnvironmentSpec, parts: RuntimeParts) -> tuple[str, str] | None:
    if parts.cluster is None:
        return None
    return (
        "aws.runtime.emr_ec2 asks for (a cluster of EMR on EC2)",
        "leave `emr_ec2` out for one `firnline up`, which makes the instance profile; then\n"
        f"    {_cluster(spec, parts.cluster)}\n    and then emr_ec2: {{origin: adopt, cluster_id: <the id that it prints>}}",
    )


def _of_pods(spec: EnvironmentSpec, parts: RuntimeParts) -> tuple[str, str] | None:
    if not parts.associations:
        return None
    commands = "".join(f"\n    {_association(spec, each)}" for each in parts.associations)
    return (
        "aws.runtime.trust asks for (an association of EKS Pod Identity)",
        f"give `association: adopt`, and once `firnline up` has made the role, before `firnline deploy`:{commands}",
    )


def _association(spec: EnvironmentSpec, wanted: PodIdentityAssociation) -> str:
    role = spec.aws.runtime.role_arn or Arns(spec).role(Names.of(spec).engine_role)
    return shlex.join(
        [
            *("aws", "eks", "create-pod-identity-association", "--region", spec.aws.region),
            *("--cluster-name", wanted.cluster, "--namespace", wanted.namespace),
            *("--service-account", wanted.service_account, "--role-arn", role),
            *("--tags", _tags(wanted.tags)),
        ]
    )


def _tags(tags: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in tags.items())


def _virtual_cluster(spec: EnvironmentSpec, wanted: VirtualCluster) -> str:
    place = {"id": wanted.cluster, "type": "EKS", "info": {"eksInfo": {"namespace": wanted.namespace}}}
    return shlex.join(
        [
            *("aws", "emr-containers", "create-virtual-cluster", "--region", spec.aws.region),
            *("--name", wanted.name, "--container-provider", json.dumps(place)),
            *("--tags", _tags(wanted.tags)),
        ]
    )


def _cluster(spec: EnvironmentSpec, wanted: Ec2Cluster) -> str:
    group = f"InstanceType={wanted.instance_type},InstanceCount"
    logs = ("--log-uri", wanted.log_uri) if wanted.log_uri else ()
    return shlex.join(
        [
            *("aws", "emr", "create-cluster", "--region", spec.aws.region, "--name", wanted.name),
            *("--release-label", wanted.release, "--applications", "Name=Spark"),
            *("--service-role", wanted.service_role),
            *("--ec2-attributes", f"InstanceProfile={wanted.instance_profile},SubnetId={wanted.subnet}"),
            "--instance-groups",
            f"InstanceGroupType=MASTER,{group}=1",
            f"InstanceGroupType=CORE,{group}={wanted.core_nodes}",
            *("--step-concurrency-level", str(wanted.concurrent_steps), *logs),
            *("--tags", *(f"{name}={value}" for name, value in wanted.tags.items())),
        ]
    )
