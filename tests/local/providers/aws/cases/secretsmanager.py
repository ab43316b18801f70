"""Secrets."""

from firnline_local.providers.aws import secrets

from .case import ACCOUNT, Case, a_key, fresh, policy

CASES = [
    Case(
        kind=secrets.SECRET,
        inputs=lambda c: {
            "name": fresh("secret"),
            "description": "a key",
            "kmsKeyId": a_key(c),
            "recoveryWindowInDays": 0,
            "tags": {"a": "1"},
        },
        taken="ResourceExistsException",
        behind={
            "description": lambda c, i: c.aws("secretsmanager").update_secret(SecretId=i, Description="x"),
            "tags": lambda c, i: c.aws("secretsmanager").untag_resource(SecretId=i, TagKeys=["a"]),
            "kmsKeyId": lambda c, i: c.aws("secretsmanager").update_secret(SecretId=i, KmsKeyId=a_key(c)),
            "policy": lambda c, i: c.aws("secretsmanager").put_resource_policy(
                SecretId=i, ResourcePolicy=policy("secretsmanager:*", Principal="*")
            ),
        },
        changes={
            "description": "other",
            "tags": {"b": "2"},
            "policy": policy("secretsmanager:GetSecretValue", Principal={"AWS": ACCOUNT}),
        },
    ),
]
