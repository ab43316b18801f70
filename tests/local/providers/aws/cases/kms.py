"""Keys and aliases."""

from firnline_local.providers.aws import kms

from .case import Case, a_key, fresh, key_policy

CASES = [
    Case(
        kind=kms.KEY,
        inputs=lambda _: {
            "description": "a key",
            "policy": key_policy(),
            "enableKeyRotation": True,
            "deletionWindowInDays": 7,
            "tags": {"a": "1"},
        },
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("kms").put_key_policy(
                KeyId=i, PolicyName="default", Policy=key_policy("other")
            ),
            "description": lambda c, i: c.aws("kms").update_key_description(KeyId=i, Description="x"),
            "enableKeyRotation": lambda c, i: c.aws("kms").disable_key_rotation(KeyId=i),
            "isEnabled": lambda c, i: c.aws("kms").disable_key(KeyId=i),
            "tags": lambda c, i: c.aws("kms").untag_resource(KeyId=i, TagKeys=["a"]),
        },
        changes={
            "policy": key_policy("other"),
            "description": "other",
            "enableKeyRotation": False,
            "isEnabled": False,
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=kms.ALIAS,
        inputs=lambda c: {"name": f"alias/{fresh('alias')}", "targetKeyId": a_key(c)},
        taken="AlreadyExistsException",
        behind={"targetKeyId": lambda c, i: c.aws("kms").update_alias(AliasName=i, TargetKeyId=a_key(c))},
    ),
]
