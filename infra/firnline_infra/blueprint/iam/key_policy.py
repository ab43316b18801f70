"""The policy of an encryption key: the account administers it, and who may use it is said by IAM policies alone.

The statement is AWS KMS's own default. Without it no IAM policy could allow anything on the key, and a key whose last
administrator is removed could never be managed again.
"""

from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.blueprint.value import Value

SID = "AccountAdministersKey"


def key_policy(*, account_root: Value) -> tuple[PolicyStatement, ...]:
    """`account_root` is arn:aws:iam::<account>:root. In a key's policy the resource `*` is the key itself."""
    return (PolicyStatement(sid=SID, actions=("kms:*",), resources=("*",), principals={"AWS": account_root}),)
