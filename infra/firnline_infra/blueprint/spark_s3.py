"""Settings of Spark about S3, by where it runs. Nothing secret: who it is, Spark finds out where it runs."""

from firnline_infra.blueprint.bucket_layout import has_bucket, is_on_emr
from firnline_infra.blueprint.proxy import is_asked_without_proxy, variables_of_proxy
from firnline_infra.environment import Environment
from firnline_infra.specification.runtime import Trust

S3A = "spark.hadoop.fs.s3a."
_SDK = "software.amazon.awssdk.auth.credentials"
PROVIDERS = {
    Trust.IRSA: f"{_SDK}.WebIdentityTokenFileCredentialsProvider",
    Trust.POD_IDENTITY: f"{_SDK}.DefaultCredentialsProvider",
    Trust.STATIC_KEYS: f"{_SDK}.DefaultCredentialsProvider",
    Trust.NOBODY: f"{_SDK}.DefaultCredentialsProvider",
}
"""S3A's own chain knows no web identity: Spark would write as the node. The SDK's chain looks where boto3 looks, so that Spark is
who the engine is. (Its provider of containers alone can't be named: S3A needs a `create()`, which it has since 2.29.)"""


def spark_s3_settings(environment: Environment, endpoint: str | None = None) -> dict[str, str]:
    """Settings for spark-submit and the session alike; on EMR, which has its own, hardly any, and none without a bucket.

    `endpoint` is a URL in place of AWS's; the bucket is then part of the path, as private endpoints and emulators want it.
    """
    trust = environment.aws.runtime.trust
    if not has_bucket(environment):
        return {}
    # Else a new folder's parents are looked at, up to the bucket's first level, where the engine has no rights.
    flags = {f"{S3A}performance.flags": "mkdir"}
    if is_on_emr(environment):
        return flags
    settings = {
        **flags,
        # Without it S3A asks for the bucket's region, with rights on the whole bucket.
        f"{S3A}endpoint.region": environment.aws.region,
        f"{S3A}aws.credentials.provider": PROVIDERS[trust],
    }
    return settings | (s3a_endpoint(endpoint) if endpoint else s3a_proxy(environment))


def s3a_proxy(environment: Environment) -> dict[str, str]:
    """S3A's proxy, for the archive that Spark fetches before the engine runs; none where S3 is reached privately, or where
    only the engine knows the proxy's login."""
    if "HTTPS_PROXY" not in variables_of_proxy(environment) or is_asked_without_proxy(environment, "s3"):
        return {}
    assert environment.proxy is not None, "there are variables of it"
    return {f"{S3A}proxy.host": environment.proxy.host, f"{S3A}proxy.port": str(environment.proxy.port)}


def s3a_endpoint(url: str) -> dict[str, str]:
    return {f"{S3A}endpoint": url, f"{S3A}path.style.access": "true"}
