"""The policy of a bucket: nothing without TLS, whoever asks."""

from firnline_infra.blueprint.iam.statement import Effect, PolicyStatement

SID = "RefuseWithoutTls"


def bucket_policy(*, bucket_arn: str) -> tuple[PolicyStatement, ...]:
    """Only refuses: who may use the bucket is said by IAM policies."""
    return (
        PolicyStatement(
            sid=SID,
            effect=Effect.DENY,
            principals={"AWS": "*"},
            actions=("s3:*",),
            resources=(bucket_arn, f"{bucket_arn}/*"),
            conditions={"Bool": {"aws:SecureTransport": "false"}},
        ),
    )
