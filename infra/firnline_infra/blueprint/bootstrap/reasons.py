"""Why each statement of the deployer's policies is as it is, by its Sid: what it is about, and what fences it.

Reasons of single actions are with the types that ask for them (iam/deployer_reasons.py), or here, where no type does. Tests
hold these against the statements, both ways; docs/permissions.md says them.
"""

from collections.abc import Mapping

from firnline_infra.blueprint.iam.deployer_reasons import Reasons

ABOUT: Mapping[str, str] = {
    "OwnKey": "The key that is made for the environment. Its id is AWS's, so its tag says whose it is.",
    "TagNewKey": "The same key while it is made, when it has no ARN and no tag yet. AWS has no condition that tells such a "
    "key from one that exists without a tag of an environment. So whoever has the deployer's role could give our tag to any "
    "such key of the account, and then, by OwnKey, open it to others by its policy and schedule its deletion. A key with "
    "another environment's tag they can't take. The way out is not to let an environment make its key: with "
    "`aws.key.origin: adopt` or `skip` neither statement is rendered.",
    "MakeKey": "A key can only be made with the tag by which it is ours.",
    "OwnAlias": "The alias of that key.",
    "AliasOfOwnKey": "AWS asks for the right on the alias and on the key, so that an alias leads to no key but ours.",
    "BoundedRole": "The roles of the engine and of external volumes: only ever within the boundary below. There is no right "
    "to take it off.",
    "BoundedRolePolicy": "What these roles may do: only of roles within the boundary.",
    "BoundedUser": "The engine's user, with `trust: static-keys`: only ever within the boundary below.",
    "BoundedUserPolicyAttachment": "What that user may do: the one policy below and no other, only of a user within the "
    "boundary.",
    "OwnStream": "The streams that the specification makes. Adopted ones are left as they are, and are not in here.",
    "OwnStreamConsumer": "Consumers with a throughput of their own. AWS ends their ARN with the time of registration.",
    "OwnTable": "The ledger's table, and its companion while records are taken over from another consumer.",
    "OwnBucket": "The buckets of the engine and of external volumes, and their settings; not what is in them.",
    "OwnBucketObjectv2": "The engine's configuration in its bucket; not the checkpoint, and not what volumes hold.",
    "OwnRole": "What can't widen a role: its tags, who may be it, reading it, removing it.",
    "OwnUser": "What can't widen the engine's user: its tags, reading it, removing it. Its access keys are not in here.",
    "OwnPolicy": "The policy of the engine's user. It lies under a path that the boundary is not in.",
    "OwnSecret": "The secrets of the private keys, without the right to read them. AWS ends their ARN with six letters.",
    "OwnParameter": "The outputs that are published.",
    "OwnMetricAlarm": "The alarms.",
    "Unbound": "What AWS can't narrow to one resource. In the environment's region alone.",
    "FindKey": "After a killed `up`, the key that it was making. In the environment's region alone.",
    "RegisterConsumers": "A consumer exists once it is registered: until then AWS asks for the right on its stream.",
    "EmptyUser": "`durability: EPHEMERAL` alone: a user can't be removed while it has keys.",
    "ListDevices": "The same. AWS lists the devices of all users, or of none.",
    "ListToEmpty": "`durability: EPHEMERAL` alone: a bucket can't be removed while anything is in it.",
    "Empty": "The same.",
    "HandOverEngineRole": "Who starts a job hands the engine's role to the service that runs it, and to no other.",
    "KeyThroughDynamodb": "The environment's key, an adopted one by its ARN; only through DynamoDB, so that nothing "
    "can be decrypted with it directly.",
    "KeyThroughS3": "The same, only through S3.",
    "ListState": "The bucket of Pulumi's state.",
    "State": "Pulumi's state in it. It holds no secret: none is ever given to Pulumi.",
    "StateKey": "The key of that bucket, which also is what Pulumi encrypts with where it is asked to.",
}

BY_STATEMENT: Mapping[str, Reasons] = {
    "FindKey": {"A key has no name: it is found by its tags.": ("kms:ListKeys",)},
    "EmptyUser": {
        "Removes the access keys that `firnline keys create --aws` made.": (
            "iam:ListAccessKeys",
            "iam:DeleteAccessKey",
        ),
        "The provider looks for everything else that a user can have.": (
            *("iam:ListSSHPublicKeys", "iam:ListMFADevices", "iam:ListSigningCertificates"),
            *("iam:ListServiceSpecificCredentials", "iam:DeleteLoginProfile"),
        ),
    },
    "ListDevices": {"The provider looks for devices that are the user's.": ("iam:ListVirtualMFADevices",)},
    "ListToEmpty": {"Finds what is in it.": ("s3:ListBucketVersions",)},
    "Empty": {"Removes what is in it, and its old versions.": ("s3:DeleteObject", "s3:DeleteObjectVersion")},
    "HandOverEngineRole": {"Starts the engine with its role.": ("iam:PassRole",)},
    "KeyThroughDynamodb": {
        "DynamoDB asks for it in the name of who makes a table with a key of the customer's.": (
            *("kms:DescribeKey", "kms:CreateGrant", "kms:Encrypt", "kms:Decrypt", "kms:ReEncryptFrom"),
            *("kms:ReEncryptTo", "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext"),
        )
    },
    "KeyThroughS3": {"S3 encrypts and decrypts the configuration.": ("kms:GenerateDataKey", "kms:Decrypt")},
    "ListState": {"Finds the stack.": ("s3:ListBucket",)},
    "State": {
        "Reads it.": ("s3:GetObject",),
        "Writes it, and the lock that keeps a second `up` out.": ("s3:PutObject", "s3:DeleteObject"),
    },
    "StateKey": {
        "S3 decrypts it, and Pulumi.": ("kms:Decrypt",),
        "S3 encrypts it, and Pulumi.": ("kms:GenerateDataKey", "kms:Encrypt"),
    },
}
"""What no type of resource asks for. A previewer has some of these actions, for the same reasons."""
