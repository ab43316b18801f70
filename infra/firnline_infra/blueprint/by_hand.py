"""What a specification asks for and no stack makes yet: told before anything is made, with what makes it by hand."""

import shlex

from firnline_infra.blueprint.runtime import Ec2Cluster, RuntimeParts
from firnline_infra.specification.errors import MadeByHand
from firnline_infra.specification.model import EnvironmentSpec


def made_by_hand(spec: EnvironmentSpec, parts: RuntimeParts) -> MadeByHand | None:
    """None where the stack makes all."""
    found = [part for part in (_of_ec2(spec, parts),) if part]
    return MadeByHand([asked for asked, _ in found], [step for _, step in found]) if found else None


def _of_ec2(spec: EnvironmentSpec, parts: RuntimeParts) -> tuple[str, str] | None:
    if parts.cluster is None:
        return None
    return (
        "aws.runtime.emr_ec2 asks for (a cluster of EMR on EC2)",
        "leave `emr_ec2` out for one `firnline up`, which makes the instance profile; then\n"
        f"    {_cluster(spec, parts.cluster)}\n    and then emr_ec2: {{origin: adopt, cluster_id: <the id that it prints>}}",
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
