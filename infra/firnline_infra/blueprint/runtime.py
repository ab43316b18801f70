"""Objects that must exist for the engine's job, as data: an application, a cluster, a network's fence, a node's profile.

The job itself is not an object of a stack: `firnline deploy` starts it (firnline_infra/runtimes renders what it is started with).
"""

from collections.abc import Mapping
from dataclasses import field

from firnline_infra.blueprint.bucket_layout import log_uri
from firnline_infra.blueprint.size import Size, core_nodes_of, size_of_specification
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import tags
from firnline_infra.runtimes.emr_ec2.options import EmrEc2
from firnline_infra.runtimes.emr_serverless.options import EmrServerless, worker_gb
from firnline_infra.runtimes.spark_operator.options import Kubernetes
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import RollOutOrder

SPARE = 2
"""Times the job: a new attempt need not wait until the last one's workers are given back."""
FOR_MANAGED_POLICIES = "for-use-with-amazon-emr-managed-policies"
"""The tag by which AmazonEMRServicePolicy_v2 knows what is EMR's (Management Guide, "Tagging resources to use managed
policies")."""


@part
class ServerlessApplicationDefinition(Definition):
    """An EMR Serverless application for one engine: started with its job, stopped when idle."""

    name: str
    release: str
    architecture: str
    """ARM64 or X86_64, as the service writes it."""
    subnets: tuple[str, ...]
    security_groups: tuple[Value, ...]
    maximum_vcpus: int
    maximum_memory_gb: int
    idle_minutes: int = 15
    concurrent_runs: int = 1
    """A further run waits: the service's own guard against more engines than there should be."""
    queue_minutes: int = 15
    """The shortest that the service takes."""
    tags: Mapping[str, str] = field(default_factory=dict)


@part
class VirtualClusterDefinition(Definition):
    """A namespace of an EKS cluster, for EMR on EKS."""

    name: str
    cluster: str
    namespace: str
    tags: Mapping[str, str] = field(default_factory=dict)


@part
class Ec2Cluster(Definition):
    """An EMR cluster on EC2 for one engine: a primary node, and core nodes for driver and executors."""

    name: str
    release: str
    instance_type: str
    core_nodes: int
    subnet: str
    security_groups: tuple[Value, ...]
    """Beside those that EMR manages."""
    instance_profile: Value
    """Its name, which is the role's: EMR refuses another."""
    service_role: str
    log_uri: str | None
    is_protected: bool = False
    """Nobody can terminate it then, the stack included."""
    concurrent_steps: int = 2
    """The engine occupies one for ever, one that stands by another; the last one sees that an engine is gone."""
    tags: Mapping[str, str] = field(default_factory=dict)


@part
class RuntimeParts(Definition):
    """The parts of a runtime, in an order in which they can be made. What is None, or not listed, is not made here."""

    application: ServerlessApplicationDefinition | None = None
    virtual_cluster: VirtualClusterDefinition | None = None
    cluster: Ec2Cluster | None = None
    place: Value | None = None
    """Where the job runs, as `EngineJob.place` wants it; None on Kubernetes, and where the engine is started by hand."""


def runtime_parts(spec: EnvironmentSpec, names: Names) -> RuntimeParts:
    marks = tags(spec, component="runtime")
    application, virtual_cluster = _application(spec, names, marks), _virtual_cluster(spec, names, marks)
    cluster = _cluster(spec, names, marks)
    return RuntimeParts(
        application=application,
        virtual_cluster=virtual_cluster,
        cluster=cluster,
        place=_place(spec),
    )


def _place(spec: EnvironmentSpec) -> Value | None:
    match spec.aws.runtime.job:
        case None | Kubernetes():
            return None
        case EmrServerless() as section:
            return section.application_id or Reference("runtime/application")
        case EmrEc2() as section:
            return section.cluster_id or Reference("runtime/cluster")
        case section:
            return section.virtual_cluster_id or Reference("runtime/virtual-cluster")


def _groups(section: EmrServerless | EmrEc2) -> tuple[Value, ...]:
    if section.security_group is None:
        return ()
    return tuple(section.security_group.ids) or (Reference("runtime/security-group"),)


def _application(
    spec: EnvironmentSpec, names: Names, marks: Mapping[str, str]
) -> ServerlessApplicationDefinition | None:
    section, size = spec.aws.runtime.emr_serverless, size_of_specification(spec)
    if section is None or section.origin is Origin.ADOPT:
        return None
    return ServerlessApplicationDefinition(
        name=names.application,
        release=section.release,
        architecture=section.architecture.value.upper(),
        subnets=tuple(section.subnets),
        security_groups=_groups(section),
        maximum_vcpus=section.maximum_vcpus or SPARE * size.cores,
        maximum_memory_gb=section.maximum_memory_gb or SPARE * workers_gb(size),
        idle_minutes=section.idle_minutes,
        concurrent_runs=engines_at_once(spec),
        tags=marks,
    )


def workers_gb(size: Size) -> int:
    """Returns the memory of the workers that EMR Serverless runs a job of this size on."""
    driver = worker_gb(size.driver_cores, size.driver_memory_mib + size.driver_overhead_mib)
    return driver + size.executors * worker_gb(size.executor_cores, size.executor_memory_mib + size.overhead_mib)


def engines_at_once(spec: EnvironmentSpec) -> int:
    """A second one stands by while the first one is replaced, where the specification has it so."""
    return 2 if spec.aws.runtime.rollout is RollOutOrder.STANDBY else 1


def _virtual_cluster(spec: EnvironmentSpec, names: Names, marks: Mapping[str, str]) -> VirtualClusterDefinition | None:
    runtime = spec.aws.runtime
    if runtime.emr_eks is None or runtime.cluster is None or runtime.namespace is None:
        return None
    if runtime.emr_eks.origin is Origin.ADOPT:
        return None
    return VirtualClusterDefinition(
        name=names.application, cluster=runtime.cluster, namespace=runtime.namespace, tags=marks
    )


def _cluster(spec: EnvironmentSpec, names: Names, marks: Mapping[str, str]) -> Ec2Cluster | None:
    runtime, size = spec.aws.runtime, size_of_specification(spec)
    section = runtime.emr_ec2
    if section is None or section.subnet is None:
        return None
    return Ec2Cluster(
        name=names.application,
        release=section.release,
        instance_type=section.instance_type,
        core_nodes=section.core_nodes or core_nodes_of(size),
        subnet=section.subnet,
        security_groups=_groups(section),
        instance_profile=names.engine_role if runtime.role_arn else Reference("runtime/instance-profile", "name"),
        service_role=section.service_role,
        log_uri=log_uri(spec),
        is_protected=section.termination_protection,
        concurrent_steps=engines_at_once(spec) + 1,
        tags={**marks, FOR_MANAGED_POLICIES: "true"},
    )
