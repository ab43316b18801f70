"""The EKS cluster behind a virtual cluster: whom its pods are for IAM, and how it is entered."""

import base64

from firnline_infra.accounts import Accounts
from firnline_infra.runtimes.aws import call
from firnline_infra.runtimes.kubeconfig import Access
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi, Pods
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.runtime import Trust

POD_IDENTITY = "pods.eks.amazonaws.com"


def principal_of_pods(spec: EnvironmentSpec) -> str:
    runtime = spec.aws.runtime
    if runtime.trust is Trust.POD_IDENTITY or runtime.oidc_provider is None:
        return POD_IDENTITY
    return Arns(spec).oidc_provider(runtime.oidc_provider)


def pods_of(spec: EnvironmentSpec, accounts: Accounts) -> Pods | None:
    """The pods of the EKS cluster; None if the specification does not name it."""
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
    """A token like that of `aws eks get-token`: a presigned sts:GetCallerIdentity that names the cluster in a header; valid
    for a quarter of an hour."""
    sts = accounts.aws("sts")

    def name_the_cluster(request: object, **_: object) -> None:
        request.headers["x-k8s-aws-id"] = cluster  # type: ignore[attr-defined] # botocore's AWSRequest, which has no types

    sts.meta.events.register("before-sign.sts.GetCallerIdentity", name_the_cluster)
    try:
        url: str = sts.generate_presigned_url("get_caller_identity", ExpiresIn=60, HttpMethod="GET")
    finally:
        sts.meta.events.unregister("before-sign.sts.GetCallerIdentity", name_the_cluster)
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
