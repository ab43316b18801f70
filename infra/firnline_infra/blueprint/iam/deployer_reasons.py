"""Why a deployer is asked for each action of deployer.py, by the token of the Pulumi type: the reason, and what it asks for.

Tests hold these against LIFECYCLES, both ways; docs/permissions.md says them.
"""

from collections.abc import Mapping

Reasons = Mapping[str, tuple[str, ...]]
"""Reason to actions."""

COMPARE = "Reads what it is, to compare it with the specification."
TAGS = "Its tags: whose it is, and who pays."

REASONS: Mapping[str, Reasons] = {
    "aws:kms/key:Key": {
        "Makes it, renewed by AWS each year.": ("kms:CreateKey", "kms:EnableKeyRotation"),
        COMPARE: ("kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListResourceTags"),
        "Its tags; the first of them says that it is this environment's.": ("kms:TagResource", "kms:UntagResource"),
        "Its policy: the account administers it, and IAM says who may use it. Whoever deploys could open it to others.": (
            "kms:PutKeyPolicy",
        ),
        "Sets back what somebody has changed.": ("kms:EnableKey", "kms:UpdateKeyDescription"),
        "Removes it, after days in which it can be had back.": ("kms:ScheduleKeyDeletion",),
    },
    "aws:kms/alias:Alias": {
        "The name by which people know the key.": ("kms:CreateAlias", "kms:UpdateAlias", "kms:DeleteAlias"),
        "Finds the key that it stands for; AWS lists all aliases or none.": ("kms:ListAliases",),
    },
    "aws:kinesis/stream:Stream": {
        "Makes it.": ("kinesis:CreateStream",),
        COMPARE: ("kinesis:DescribeStreamSummary", "kinesis:ListTagsForStream"),
        TAGS: ("kinesis:AddTagsToStream", "kinesis:TagResource", "kinesis:RemoveTagsFromStream"),
        "How long it keeps records.": (
            "kinesis:IncreaseStreamRetentionPeriod",
            "kinesis:DecreaseStreamRetentionPeriod",
        ),
        "Its encryption, with a key or without.": ("kinesis:StartStreamEncryption", "kinesis:StopStreamEncryption"),
        "How large a record may be.": ("kinesis:UpdateMaxRecordSize",),
        "How many shards it has, or that AWS scales it.": ("kinesis:UpdateShardCount", "kinesis:UpdateStreamMode"),
        "Metrics of each shard, on and off.": (
            "kinesis:EnableEnhancedMonitoring",
            "kinesis:DisableEnhancedMonitoring",
        ),
        "Removes it when it leaves the specification.": ("kinesis:DeleteStream",),
    },
    "aws:kinesis/streamConsumer:StreamConsumer": {
        "Registers a reader with a throughput of its own.": ("kinesis:RegisterStreamConsumer",),
        COMPARE: ("kinesis:DescribeStreamConsumer", "kinesis:ListTagsForResource"),
        TAGS: ("kinesis:TagResource", "kinesis:UntagResource"),
        "Removes it when it leaves the specification.": ("kinesis:DeregisterStreamConsumer",),
    },
    "aws:dynamodb/table:Table": {
        "Makes it.": ("dynamodb:CreateTable",),
        COMPARE: (
            *("dynamodb:DescribeTable", "dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTimeToLive"),
            "dynamodb:ListTagsOfResource",
        ),
        TAGS: ("dynamodb:TagResource", "dynamodb:UntagResource"),
        "That it can be restored to any second.": ("dynamodb:UpdateContinuousBackups",),
        "Its key, its protection against deletion, its expiry (none).": (
            *("dynamodb:UpdateTable", "dynamodb:UpdateTimeToLive"),
        ),
        "Removes it: the migration's when that is over, the ledger's with its environment.": ("dynamodb:DeleteTable",),
    },
    "aws:s3/bucket:Bucket": {
        "Makes it.": ("s3:CreateBucket",),
        "Looks whether it is there.": ("s3:ListBucket",),
        "The provider reads everything that a bucket can have, also what is never given to one.": (
            *("s3:GetBucketLocation", "s3:GetBucketPolicy", "s3:GetBucketAcl", "s3:GetBucketCORS"),
            *("s3:GetBucketWebsite", "s3:GetBucketVersioning", "s3:GetAccelerateConfiguration"),
            *("s3:GetBucketRequestPayment", "s3:GetBucketLogging", "s3:GetLifecycleConfiguration"),
            *("s3:GetReplicationConfiguration", "s3:GetEncryptionConfiguration"),
            *("s3:GetBucketObjectLockConfiguration", "s3:GetBucketTagging", "s3:ListTagsForResource"),
        ),
        TAGS: ("s3:PutBucketTagging", "s3:TagResource", "s3:UntagResource"),
        "Removes it; AWS refuses while anything is in it.": ("s3:DeleteBucket",),
    },
    "aws:s3/bucketVersioning:BucketVersioning": {
        "That old versions are kept.": ("s3:PutBucketVersioning", "s3:GetBucketVersioning"),
    },
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": {
        "Which key encrypts its objects.": ("s3:PutEncryptionConfiguration", "s3:GetEncryptionConfiguration"),
    },
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": {
        "That nothing in it can be made public.": ("s3:PutBucketPublicAccessBlock", "s3:GetBucketPublicAccessBlock"),
    },
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": {
        "That access lists have no say.": ("s3:PutBucketOwnershipControls", "s3:GetBucketOwnershipControls"),
    },
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {
        "When old versions and broken uploads go.": ("s3:PutLifecycleConfiguration", "s3:GetLifecycleConfiguration"),
    },
    "aws:s3/bucketPolicy:BucketPolicy": {
        "Its policy, which refuses what comes without TLS. Whoever deploys could open the bucket to others by it, and what "
        "is in it: AWS's block of public access, also theirs to change, refuses only the public.": (
            *("s3:PutBucketPolicy", "s3:GetBucketPolicy", "s3:DeleteBucketPolicy"),
        ),
    },
    "aws:s3/bucketObjectv2:BucketObjectv2": {
        "Puts the engine's configuration there.": ("s3:PutObject", "s3:PutObjectTagging"),
        COMPARE: ("s3:GetObject", "s3:GetObjectTagging"),
        "Removes it with all its versions.": ("s3:DeleteObject", "s3:DeleteObjectVersion"),
    },
    "aws:iam/role:Role": {
        "Makes it, within the boundary.": ("iam:CreateRole",),
        "Sets the boundary back where somebody took it off.": ("iam:PutRolePermissionsBoundary",),
        COMPARE: ("iam:GetRole", "iam:ListRolePolicies", "iam:ListAttachedRolePolicies"),
        TAGS: ("iam:TagRole", "iam:UntagRole"),
        "Who may be it.": ("iam:UpdateAssumeRolePolicy",),
        "Its description, how long a session lasts.": ("iam:UpdateRole", "iam:UpdateRoleDescription"),
        "Removes it; the provider looks first whether machines have it.": (
            *("iam:DeleteRole", "iam:ListInstanceProfilesForRole"),
        ),
    },
    "aws:iam/rolePolicy:RolePolicy": {
        "What it may do: the engine's statements above, or Snowflake's. Only of a role within the boundary.": (
            *("iam:PutRolePolicy", "iam:DeleteRolePolicy"),
        ),
        "Reads what it may do, to compare it.": ("iam:GetRolePolicy",),
    },
    "aws:iam/user:User": {
        "Makes it, within the boundary. Its access key is made by `firnline keys`, not here.": ("iam:CreateUser",),
        "Sets the boundary back where somebody took it off.": ("iam:PutUserPermissionsBoundary",),
        COMPARE: ("iam:GetUser", "iam:ListUserTags"),
        TAGS: ("iam:TagUser", "iam:UntagUser"),
        "Removes it; the provider looks first which groups it is in.": ("iam:DeleteUser", "iam:ListGroupsForUser"),
    },
    "aws:iam/policy:Policy": {
        "Makes the policy of the engine's user: the engine's statements above.": ("iam:CreatePolicy",),
        COMPARE: ("iam:GetPolicy", "iam:GetPolicyVersion"),
        TAGS: ("iam:TagPolicy", "iam:UntagPolicy"),
        "A change is a new version, and IAM keeps five.": (
            *("iam:CreatePolicyVersion", "iam:ListPolicyVersions", "iam:DeletePolicyVersion"),
        ),
        "Removes it.": ("iam:DeletePolicy",),
    },
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": {
        "Gives the engine's user that one policy and no other, within the boundary.": (
            *("iam:AttachUserPolicy", "iam:DetachUserPolicy"),
        ),
        "Reads which it has.": ("iam:ListAttachedUserPolicies",),
    },
    "aws:secretsmanager/secret:Secret": {
        "Makes it, without a value, though AWS would take one.": ("secretsmanager:CreateSecret",),
        COMPARE: ("secretsmanager:DescribeSecret", "secretsmanager:GetResourcePolicy"),
        TAGS: ("secretsmanager:TagResource", "secretsmanager:UntagResource"),
        "Its description and its key. AWS would take a value too: by it, whoever deploys can't read the private key, but could "
        "overwrite it, and Snowflake would refuse the engine until it is put right. Nothing leaks.": (
            "secretsmanager:UpdateSecret",
        ),
        "Removes it with its environment.": ("secretsmanager:DeleteSecret",),
    },
    "aws:ssm/parameter:Parameter": {
        "Publishes an output, such as where the engine's configuration lies.": ("ssm:PutParameter",),
        COMPARE: ("ssm:GetParameter", "ssm:ListTagsForResource"),
        "The provider asks for its tier; AWS describes all parameters or none.": ("ssm:DescribeParameters",),
        TAGS: ("ssm:AddTagsToResource", "ssm:RemoveTagsFromResource"),
        "Removes it when it is published no more.": ("ssm:DeleteParameter",),
    },
    "aws:cloudwatch/metricAlarm:MetricAlarm": {
        "Makes it, and changes it.": ("cloudwatch:PutMetricAlarm",),
        COMPARE: ("cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"),
        TAGS: ("cloudwatch:TagResource", "cloudwatch:UntagResource"),
        "Removes it when it leaves the specification.": ("cloudwatch:DeleteAlarms",),
    },
}
