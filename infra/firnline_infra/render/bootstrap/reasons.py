"""Why a deployer's policies ask for each action, by the token of the Pulumi type that asks for it (lifecycles.py)."""

from collections.abc import Mapping

Reasons = Mapping[str, tuple[str, ...]]
"""Reason to actions."""
DRIFT = "Tells rights that somebody gave by hand (`firnline drift`)."

COMPARE = "Reads what it is, to compare it with the specification."
TAGS = "Its tags: whose it is, and who pays."

REASONS: Mapping[str, Reasons] = {
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
        DRIFT: ("kinesis:GetResourcePolicy",),
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
        DRIFT: ("dynamodb:GetResourcePolicy",),
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
        "Puts what the engine runs, and its configuration, there.": ("s3:PutObject", "s3:PutObjectTagging"),
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
    "aws:iam/instanceProfile:InstanceProfile": {
        "Makes it.": ("iam:CreateInstanceProfile",),
        COMPARE: ("iam:GetInstanceProfile",),
        TAGS: ("iam:TagInstanceProfile", "iam:UntagInstanceProfile"),
        "Puts the engine's role into it, and sets that right where somebody changed it.": (
            *("iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile"),
        ),
        "Removes it.": ("iam:DeleteInstanceProfile",),
    },
    "aws:iam/user:User": {
        "Makes it, within the boundary. Its access key is made by `firnline keys`, not here.": ("iam:CreateUser",),
        "Sets the boundary back where somebody took it off.": ("iam:PutUserPermissionsBoundary",),
        COMPARE: ("iam:GetUser", "iam:ListUserTags"),
        TAGS: ("iam:TagUser", "iam:UntagUser"),
        "Removes it; the provider looks first which groups it is in.": ("iam:DeleteUser", "iam:ListGroupsForUser"),
        DRIFT: ("iam:ListUserPolicies", "iam:GetUserPolicy", "iam:ListAccessKeys"),
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
    "aws:cloudwatch/logGroup:LogGroup": {
        "Makes it.": ("logs:CreateLogGroup",),
        COMPARE: ("logs:DescribeLogGroups", "logs:ListTagsForResource"),
        TAGS: ("logs:TagResource", "logs:UntagResource"),
        "How long logs are kept.": ("logs:PutRetentionPolicy", "logs:DeleteRetentionPolicy"),
        "Removes it with its logs.": ("logs:DeleteLogGroup",),
    },
    "aws:ec2/securityGroup:SecurityGroup": {
        "Makes it.": ("ec2:CreateSecurityGroup",),
        COMPARE: ("ec2:DescribeSecurityGroups",),
        TAGS: ("ec2:CreateTags", "ec2:DeleteTags"),
        "What it lets out, and in: nothing but itself. Whoever deploys could open it; EMR Serverless refuses to start with one "
        "that is open to the world.": (
            *("ec2:AuthorizeSecurityGroupEgress", "ec2:RevokeSecurityGroupEgress"),
            *("ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress"),
        ),
        "Removes it; the provider looks first for interfaces that have it.": (
            *("ec2:DeleteSecurityGroup", "ec2:DescribeNetworkInterfaces"),
        ),
    },
    "aws:emrserverless/application:Application": {
        "Makes it. It costs nothing until a job runs.": ("emr-serverless:CreateApplication",),
        COMPARE: ("emr-serverless:GetApplication",),
        TAGS: ("emr-serverless:TagResource", "emr-serverless:UntagResource"),
        "AWS changes it only while it is stopped: whether a job runs in it, which is then left alone.": (
            "emr-serverless:ListJobRuns",
        ),
        "Stops one that has no job, before it is changed or removed.": ("emr-serverless:StopApplication",),
        "Its release, network and limits, while it is stopped.": ("emr-serverless:UpdateApplication",),
        "Removes it, while it is stopped.": ("emr-serverless:DeleteApplication",),
    },
    "aws:ec2/vpcEndpoint:VpcEndpoint": {
        "Makes it.": ("ec2:CreateVpcEndpoint",),
        COMPARE: ("ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists", "ec2:DescribeNetworkInterfaces"),
        TAGS: ("ec2:CreateTags", "ec2:DeleteTags"),
        "Where it is, and behind which group.": ("ec2:ModifyVpcEndpoint",),
        "Removes it.": ("ec2:DeleteVpcEndpoints",),
    },
    "aws:emr/cluster:Cluster": {
        "Makes it, with its machines.": ("elasticmapreduce:RunJobFlow",),
        COMPARE: (
            *("elasticmapreduce:DescribeCluster", "elasticmapreduce:ListInstanceGroups"),
            *("elasticmapreduce:ListInstanceFleets", "elasticmapreduce:ListBootstrapActions"),
            "elasticmapreduce:GetAutoTerminationPolicy",
        ),
        "The provider lists its steps; whether one is in a cluster that is to go: it is left alone then.": (
            "elasticmapreduce:ListSteps",
        ),
        TAGS: ("elasticmapreduce:AddTags", "elasticmapreduce:RemoveTags"),
        "How many core nodes, and how many steps at once.": (
            *("elasticmapreduce:ModifyInstanceGroups", "elasticmapreduce:ModifyCluster"),
        ),
        "Whether it can be terminated.": ("elasticmapreduce:SetTerminationProtection",),
        "Removes it, with its machines.": ("elasticmapreduce:TerminateJobFlows",),
    },
    "aws:emrcontainers/virtualCluster:VirtualCluster": {
        "Makes it. It costs nothing: a name for a namespace.": ("emr-containers:CreateVirtualCluster",),
        COMPARE: ("emr-containers:DescribeVirtualCluster",),
        TAGS: ("emr-containers:TagResource", "emr-containers:UntagResource"),
        "Whether a job is in one that is to go: it is left alone then.": ("emr-containers:ListJobRuns",),
        "Removes it.": ("emr-containers:DeleteVirtualCluster",),
    },
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": {
        "Lets the pods of a service account be the engine's role.": ("eks:CreatePodIdentityAssociation",),
        COMPARE: ("eks:DescribePodIdentityAssociation",),
        TAGS: ("eks:TagResource", "eks:UntagResource"),
        "Gives it another role: of those that it may hand over, the engine's.": ("eks:UpdatePodIdentityAssociation",),
        "Removes it.": ("eks:DeletePodIdentityAssociation",),
    },
    "aws:cloudwatch/dashboard:Dashboard": {
        "Makes it, and changes it.": ("cloudwatch:PutDashboard",),
        COMPARE: ("cloudwatch:GetDashboard",),
        "Removes it when it leaves the specification.": ("cloudwatch:DeleteDashboards",),
    },
    "aws:cloudwatch/metricAlarm:MetricAlarm": {
        "Makes it, and changes it.": ("cloudwatch:PutMetricAlarm",),
        COMPARE: ("cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"),
        TAGS: ("cloudwatch:TagResource", "cloudwatch:UntagResource"),
        "Removes it when it leaves the specification.": ("cloudwatch:DeleteAlarms",),
    },
}
