"""What a specification asks for and no stack makes yet: told before anything is made, with what makes it by hand."""

import json
import shlex

from firnline_infra.blueprint.runtime import Ec2Cluster, RuntimeParts, VirtualCluster
from firnline_infra.specification.errors import MadeByHand
from firnline_infra.specification.model import EnvironmentSpec


def made_by_hand(spec: EnvironmentSpec, parts: RuntimeParts) -> MadeByHand | None:
    """None where the stack makes all."""
    if parts.virtual_cluster is not None:
        return MadeByHand(
            "aws.runtime.emr_eks",
            "a virtual cluster",
            next_step=f"{_virtual_cluster(spec, parts.virtual_cluster)}; then, in the place of `cluster`, "
            "emr_eks: {origin: adopt, virtual_cluster_id: <the id that it prints>}.",
        )
    if parts.cluster is not None:
        return MadeByHand(
            "aws.runtime.emr_ec2",
            "a cluster of EMR on EC2",
            next_step="leave `emr_ec2` out for one `firnline up`, which makes the instance profile; then "
            f"{_cluster(spec, parts.cluster)}; then emr_ec2: {{origin: adopt, cluster_id: <the id that it prints>}}.",
        )
    return None


def _virtual_cluster(spec: EnvironmentSpec, wanted: VirtualCluster) -> str:
    place = {"id": wanted.cluster, "type": "EKS", "info": {"eksInfo": {"namespace": wanted.namespace}}}
    return shlex.join(
        [
            *("aws", "emr-containers", "create-virtual-cluster", "--region", spec.aws.region),
            *("--name", wanted.name, "--container-provider", json.dumps(place)),
            *("--tags", ",".join(f"{name}={value}" for name, value in wanted.tags.items())),
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
