"""Which client an environment's specification asks for, and what its service calls the place where the engine runs."""

import base64

from firnline_infra.accounts import Accounts
from firnline_infra.rollout.aws import call
from firnline_infra.rollout.runtime import Runtime
from firnline_infra.rollout.services.emr_ec2 import EmrEc2Runtime, cluster_id
from firnline_infra.rollout.services.emr_eks import EmrEksRuntime, virtual_cluster_id
from firnline_infra.rollout.services.emr_serverless import EmrServerlessRuntime, application_id
from firnline_infra.rollout.services.kubeconfig import Access, read_kubeconfig
from firnline_infra.rollout.services.kubernetes_api import HttpKubernetesApi
from firnline_infra.rollout.services.pods import Pods
from firnline_infra.rollout.services.spark_operators import FLAVOURS, OperatorRuntime
from firnline_infra.runtimes.errors import StartedByHand
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.emr import EmrEc2, EmrEks, EmrServerless
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtime import Kubernetes, Trust

POD_IDENTITY = "pods.eks.amazonaws.com"


def place_of(spec: EnvironmentSpec, accounts: Accounts) -> str:
    """The id of an adopted one is in the specification; one that was made is found by its name; Kubernetes needs none. Raises
    PlaceMissing.
    """
    name = Names.of(spec).application
    match spec.aws.runtime.job:
        case EmrServerless() as section:
            return section.application_id or application_id(accounts.aws("emr-serverless"), name, spec.name)
        case EmrEks() as section:
            return section.virtual_cluster_id or virtual_cluster_id(accounts.aws("emr-containers"), name, spec.name)
        case EmrEc2() as section:
            return section.cluster_id or cluster_id(accounts.aws("emr"), name, spec.name)
        case Kubernetes():
            return ""
        case None:
            raise StartedByHand(spec.name)


def runtime_of(spec: EnvironmentSpec, accounts: Accounts, place: str) -> Runtime:
    """Raises StartedByHand, and NoCluster."""
    name, s3, iam = Names.of(spec).application, accounts.aws("s3"), accounts.aws("iam")
    match spec.aws.runtime.job:
        case EmrServerless() as section:
            is_shared = section.application_id is not None
            return EmrServerlessRuntime(accounts.aws("emr-serverless"), s3, iam, place, is_shared)
        case EmrEks():
            emr = accounts.aws("emr-containers")
            return EmrEksRuntime(emr, s3, iam, place, _principal_of_pods(spec), _pods_of(spec, accounts))
        case EmrEc2():
            return EmrEc2Runtime(accounts.aws("emr"), s3, iam, place, name)
        case Kubernetes() as section:
            api = HttpKubernetesApi(lambda: read_kubeconfig(section.context))
            runtime = spec.aws.runtime
            flavour = FLAVOURS[section.operator]
            return OperatorRuntime(api, flavour, runtime.namespace or "default", name, runtime.service_account)
        case None:
            raise StartedByHand(spec.name)


def _principal_of_pods(spec: EnvironmentSpec) -> str:
    runtime = spec.aws.runtime
    if runtime.trust is Trust.POD_IDENTITY or runtime.oidc_provider is None:
        return POD_IDENTITY
    return Arns(spec).oidc_provider(runtime.oidc_provider)


def _pods_of(spec: EnvironmentSpec, accounts: Accounts) -> Pods | None:
    """None where the specification does not name the EKS cluster."""
    runtime = spec.aws.runtime
    if runtime.cluster is None or runtime.namespace is None:
        return None
    cluster = runtime.cluster

    def enter() -> Access:
        with call("eks:DescribeCluster", cluster):
            found = accounts.aws("eks").describe_cluster(name=cluster)["cluster"]
        authority = base64.b64decode(found["certificateAuthority"]["data"])
        return Access(server=found["endpoint"], ca=authority, token=eks_token(accounts, cluster))

    return Pods(HttpKubernetesApi(enter), runtime.namespace)


def eks_token(accounts: Accounts, cluster: str) -> str:
    """As `aws eks get-token` makes it: a presigned sts:GetCallerIdentity that names the cluster in a header; good for a quarter
    of an hour.
    """
    sts = accounts.aws("sts")

    def name_the_cluster(request: object, **_: object) -> None:
        request.headers["x-k8s-aws-id"] = cluster  # type: ignore[attr-defined] # botocore's AWSRequest, which has no types

    sts.meta.events.register("before-sign.sts.GetCallerIdentity", name_the_cluster)
    try:
        url: str = sts.generate_presigned_url("get_caller_identity", ExpiresIn=60, HttpMethod="GET")
    finally:
        sts.meta.events.unregister("before-sign.sts.GetCallerIdentity", name_the_cluster)
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
