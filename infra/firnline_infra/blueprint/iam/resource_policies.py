"""The policies of buckets and of encryption keys: what they say beside the IAM policies of those who use them."""

from firnline_infra.blueprint.iam.statement import Effect, PolicyStatement
from firnline_infra.blueprint.value import Value

BUCKET_SID, KEY_SID = "RefuseWithoutTls", "AccountAdministersKey"


def bucket_policy(*, bucket_arn: str) -> tuple[PolicyStatement, ...]:
    """Refuses whatever is asked for without TLS, and allows nothing: IAM policies say who may use the bucket."""
    return (
        PolicyStatement(
            sid=BUCKET_SID,
            effect=Effect.DENY,
            principals={"AWS": "*"},
            actions=("s3:*",),
            resources=(bucket_arn, f"{bucket_arn}/*"),
            conditions={"Bool": {"aws:SecureTransport": "false"}},
        ),
    )


def key_policy(*, account_root: Value) -> tuple[PolicyStatement, ...]:
    """Lets the account administer the key; IAM policies alone say who may use it.

    The statement is AWS KMS's own default. Without it no IAM policy could allow anything on the key, and a key whose last
    administrator is removed could never be managed again. `account_root` is arn:aws:iam::<account>:root. In a key's policy
    the resource `*` is the key itself.
    """
    return (PolicyStatement(sid=KEY_SID, actions=("kms:*",), resources=("*",), principals={"AWS": account_root}),)
