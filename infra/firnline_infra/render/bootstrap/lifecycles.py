"""What making, reading, changing and removing each type of resource asks of AWS, as data.

By the token of the Pulumi type. The calls are those of terraform-provider-aws 6, which pulumi-aws 7 carries
(internal/service/<service> there), under the name of the IAM action that allows each. Tests compare them with the
calls of real deployments.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Lifecycle:
    """`read` is asked after each of the others too."""

    create: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    """What `firnline drift` asks for besides: rights that somebody gave past the stack."""
    unbound: tuple[str, ...] = ()
    """Of the ones above: AWS can't narrow them to a resource."""
    on_parent: tuple[str, ...] = ()
    """Of the ones above: AWS asks for them on what the resource is in."""

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.create, *self.read, *self.update, *self.delete, *self.compare)))

    @property
    def reading(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.read, *self.compare)))


BUCKET_READ = (
    *("s3:ListBucket", "s3:GetBucketLocation", "s3:GetBucketPolicy", "s3:GetBucketAcl", "s3:GetBucketCORS"),
    *("s3:GetBucketWebsite", "s3:GetBucketVersioning", "s3:GetAccelerateConfiguration", "s3:GetBucketRequestPayment"),
    *("s3:GetBucketLogging", "s3:GetLifecycleConfiguration", "s3:GetReplicationConfiguration"),
    *("s3:GetEncryptionConfiguration", "s3:GetBucketObjectLockConfiguration", "s3:GetBucketTagging"),
    "s3:ListTagsForResource",
)
TAG_BUCKET = ("s3:PutBucketTagging", "s3:TagResource")

LIFECYCLES: dict[str, Lifecycle] = {
    "aws:kinesis/stream:Stream": Lifecycle(
        create=(
            *("kinesis:CreateStream", "kinesis:AddTagsToStream", "kinesis:IncreaseStreamRetentionPeriod"),
            *("kinesis:StartStreamEncryption", "kinesis:EnableEnhancedMonitoring", "kinesis:UpdateMaxRecordSize"),
            "kinesis:TagResource",
        ),
        read=("kinesis:DescribeStreamSummary", "kinesis:ListTagsForStream"),
        update=(
            *("kinesis:UpdateStreamMode", "kinesis:UpdateShardCount", "kinesis:DecreaseStreamRetentionPeriod"),
            *("kinesis:StopStreamEncryption", "kinesis:DisableEnhancedMonitoring", "kinesis:RemoveTagsFromStream"),
        ),
        delete=("kinesis:DeleteStream",),
        compare=("kinesis:GetResourcePolicy",),
        unbound=(
            *("kinesis:EnableEnhancedMonitoring", "kinesis:DisableEnhancedMonitoring"),
            *("kinesis:UpdateShardCount", "kinesis:UpdateStreamMode"),
        ),
    ),
    "aws:kinesis/streamConsumer:StreamConsumer": Lifecycle(
        create=("kinesis:RegisterStreamConsumer", "kinesis:TagResource"),
        read=("kinesis:DescribeStreamConsumer", "kinesis:ListTagsForResource"),
        update=("kinesis:UntagResource",),
        delete=("kinesis:DeregisterStreamConsumer",),
        on_parent=("kinesis:RegisterStreamConsumer",),
    ),
    "aws:dynamodb/table:Table": Lifecycle(
        create=("dynamodb:CreateTable", "dynamodb:TagResource", "dynamodb:UpdateContinuousBackups"),
        read=(
            *("dynamodb:DescribeTable", "dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTimeToLive"),
            "dynamodb:ListTagsOfResource",
        ),
        update=("dynamodb:UpdateTable", "dynamodb:UpdateTimeToLive", "dynamodb:UntagResource"),
        delete=("dynamodb:DeleteTable",),
        compare=("dynamodb:GetResourcePolicy",),
    ),
    "aws:s3/bucket:Bucket": Lifecycle(
        create=("s3:CreateBucket", *TAG_BUCKET),
        read=BUCKET_READ,
        update=(*TAG_BUCKET, "s3:UntagResource"),
        delete=("s3:DeleteBucket",),
    ),
    "aws:s3/bucketVersioning:BucketVersioning": Lifecycle(
        create=("s3:PutBucketVersioning",), read=("s3:GetBucketVersioning",)
    ),
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": Lifecycle(
        create=("s3:PutEncryptionConfiguration",), read=("s3:GetEncryptionConfiguration",)
    ),
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": Lifecycle(
        create=("s3:PutBucketPublicAccessBlock",), read=("s3:GetBucketPublicAccessBlock",)
    ),
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": Lifecycle(
        create=("s3:PutBucketOwnershipControls",), read=("s3:GetBucketOwnershipControls",)
    ),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": Lifecycle(
        create=("s3:PutLifecycleConfiguration",), read=("s3:GetLifecycleConfiguration",)
    ),
    "aws:s3/bucketPolicy:BucketPolicy": Lifecycle(
        create=("s3:PutBucketPolicy",), read=("s3:GetBucketPolicy",), delete=("s3:DeleteBucketPolicy",)
    ),
    "aws:s3/bucketObjectv2:BucketObjectv2": Lifecycle(
        create=("s3:PutObject", "s3:PutObjectTagging"),
        read=("s3:GetObject", "s3:GetObjectTagging"),
        delete=("s3:DeleteObject", "s3:DeleteObjectVersion"),
    ),
    "aws:iam/role:Role": Lifecycle(
        create=("iam:CreateRole", "iam:TagRole"),
        read=("iam:GetRole", "iam:ListRolePolicies", "iam:ListAttachedRolePolicies"),
        update=(
            *("iam:UpdateAssumeRolePolicy", "iam:UpdateRole", "iam:UpdateRoleDescription", "iam:UntagRole"),
            "iam:PutRolePermissionsBoundary",
        ),
        delete=("iam:DeleteRole", "iam:ListInstanceProfilesForRole"),
    ),
    "aws:iam/rolePolicy:RolePolicy": Lifecycle(
        create=("iam:PutRolePolicy",), read=("iam:GetRolePolicy",), delete=("iam:DeleteRolePolicy",)
    ),
    "aws:iam/instanceProfile:InstanceProfile": Lifecycle(
        create=("iam:CreateInstanceProfile", "iam:TagInstanceProfile", "iam:AddRoleToInstanceProfile"),
        read=("iam:GetInstanceProfile",),
        update=("iam:RemoveRoleFromInstanceProfile", "iam:UntagInstanceProfile"),
        delete=("iam:DeleteInstanceProfile",),
    ),
    "aws:iam/user:User": Lifecycle(
        create=("iam:CreateUser", "iam:TagUser"),
        read=("iam:GetUser", "iam:ListUserTags"),
        update=("iam:UntagUser", "iam:PutUserPermissionsBoundary"),
        delete=("iam:DeleteUser", "iam:ListGroupsForUser"),
        compare=("iam:ListUserPolicies", "iam:GetUserPolicy", "iam:ListGroupsForUser", "iam:ListAccessKeys"),
    ),
    "aws:iam/policy:Policy": Lifecycle(
        create=("iam:CreatePolicy", "iam:TagPolicy"),
        read=("iam:GetPolicy", "iam:GetPolicyVersion"),
        update=("iam:ListPolicyVersions", "iam:CreatePolicyVersion", "iam:DeletePolicyVersion", "iam:UntagPolicy"),
        delete=("iam:ListPolicyVersions", "iam:DeletePolicyVersion", "iam:DeletePolicy"),
    ),
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": Lifecycle(
        create=("iam:AttachUserPolicy",), read=("iam:ListAttachedUserPolicies",), delete=("iam:DetachUserPolicy",)
    ),
    "aws:secretsmanager/secret:Secret": Lifecycle(
        create=("secretsmanager:CreateSecret", "secretsmanager:TagResource"),
        read=("secretsmanager:DescribeSecret", "secretsmanager:GetResourcePolicy"),
        update=("secretsmanager:UpdateSecret", "secretsmanager:TagResource", "secretsmanager:UntagResource"),
        delete=("secretsmanager:DeleteSecret",),
    ),
    "aws:ssm/parameter:Parameter": Lifecycle(
        create=("ssm:PutParameter", "ssm:AddTagsToResource"),
        read=("ssm:GetParameter", "ssm:DescribeParameters", "ssm:ListTagsForResource"),
        update=("ssm:RemoveTagsFromResource",),
        delete=("ssm:DeleteParameter",),
        unbound=("ssm:DescribeParameters",),
    ),
    "aws:cloudwatch/logGroup:LogGroup": Lifecycle(
        create=("logs:CreateLogGroup", "logs:TagResource", "logs:PutRetentionPolicy"),
        read=("logs:DescribeLogGroups", "logs:ListTagsForResource"),
        update=("logs:DeleteRetentionPolicy", "logs:UntagResource"),
        delete=("logs:DeleteLogGroup",),
        unbound=("logs:DescribeLogGroups",),
    ),
    "aws:ec2/securityGroup:SecurityGroup": Lifecycle(
        create=(
            *("ec2:CreateSecurityGroup", "ec2:CreateTags", "ec2:RevokeSecurityGroupEgress"),
            *("ec2:AuthorizeSecurityGroupEgress", "ec2:AuthorizeSecurityGroupIngress"),
        ),
        read=("ec2:DescribeSecurityGroups",),
        update=("ec2:RevokeSecurityGroupIngress", "ec2:DeleteTags"),
        delete=("ec2:DeleteSecurityGroup", "ec2:DescribeNetworkInterfaces"),
        unbound=("ec2:DescribeSecurityGroups", "ec2:DescribeNetworkInterfaces"),
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": Lifecycle(
        create=("ec2:CreateVpcEndpoint", "ec2:CreateTags"),
        read=("ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists", "ec2:DescribeNetworkInterfaces"),
        update=("ec2:ModifyVpcEndpoint", "ec2:DeleteTags"),
        delete=("ec2:DeleteVpcEndpoints",),
        unbound=("ec2:DescribeVpcEndpoints", "ec2:DescribePrefixLists", "ec2:DescribeNetworkInterfaces"),
    ),
    "aws:emrserverless/application:Application": Lifecycle(
        create=("emr-serverless:CreateApplication", "emr-serverless:TagResource"),
        # The last one is not the provider's: `firnline up` and `preview` look whether a job keeps it from being changed.
        read=("emr-serverless:GetApplication", "emr-serverless:ListJobRuns"),
        # Nor is the first: `firnline up` and `destroy` stop one that has no job.
        update=("emr-serverless:StopApplication", "emr-serverless:UpdateApplication", "emr-serverless:UntagResource"),
        delete=("emr-serverless:DeleteApplication",),
        unbound=("emr-serverless:CreateApplication",),
    ),
    "aws:emr/cluster:Cluster": Lifecycle(
        create=("elasticmapreduce:RunJobFlow", "elasticmapreduce:AddTags"),
        read=tuple(
            f"elasticmapreduce:{action}"
            for action in (
                *("DescribeCluster", "ListInstanceGroups", "ListInstanceFleets", "ListBootstrapActions", "ListSteps"),
                "GetAutoTerminationPolicy",
            )
        ),
        update=tuple(
            f"elasticmapreduce:{action}"
            for action in ("ModifyCluster", "ModifyInstanceGroups", "SetTerminationProtection", "RemoveTags")
        ),
        delete=("elasticmapreduce:TerminateJobFlows",),
        unbound=("elasticmapreduce:RunJobFlow",),
    ),
    "aws:emrcontainers/virtualCluster:VirtualCluster": Lifecycle(
        create=("emr-containers:CreateVirtualCluster", "emr-containers:TagResource"),
        # The last one is not the provider's: `firnline up` and `destroy` look whether a job is in one that goes.
        read=("emr-containers:DescribeVirtualCluster", "emr-containers:ListJobRuns"),
        update=("emr-containers:UntagResource",),
        delete=("emr-containers:DeleteVirtualCluster",),
        unbound=("emr-containers:CreateVirtualCluster",),
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": Lifecycle(
        create=("eks:CreatePodIdentityAssociation", "eks:TagResource"),
        read=("eks:DescribePodIdentityAssociation",),
        update=("eks:UpdatePodIdentityAssociation", "eks:UntagResource"),
        delete=("eks:DeletePodIdentityAssociation",),
        on_parent=("eks:CreatePodIdentityAssociation",),
    ),
    "aws:cloudwatch/dashboard:Dashboard": Lifecycle(
        create=("cloudwatch:PutDashboard",), read=("cloudwatch:GetDashboard",), delete=("cloudwatch:DeleteDashboards",)
    ),
    "aws:cloudwatch/metricAlarm:MetricAlarm": Lifecycle(
        create=("cloudwatch:PutMetricAlarm", "cloudwatch:TagResource"),
        read=("cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"),
        update=("cloudwatch:UntagResource",),
        delete=("cloudwatch:DeleteAlarms",),
    ),
}
EMPTY_BUCKET = ("s3:ListBucketVersions", "s3:DeleteObject", "s3:DeleteObjectVersion")
"""What removing a bucket with everything in it asks for besides; EPHEMERAL alone."""
EMPTY_USER = (
    *("iam:ListAccessKeys", "iam:DeleteAccessKey", "iam:ListSSHPublicKeys", "iam:ListMFADevices"),
    *("iam:DeleteLoginProfile", "iam:ListSigningCertificates", "iam:ListServiceSpecificCredentials"),
)
"""What removing a user with its access keys asks for besides; EPHEMERAL alone."""
EMPTY_USER_UNBOUND = ("iam:ListVirtualMFADevices",)
FIND_APPLICATION = ("emr-serverless:ListApplications",)
"""An application's name may be several ones': after a killed `up`, the one that it was making is found by its tags."""
FIND_CLUSTER = ("elasticmapreduce:ListClusters",)
FIND_VIRTUAL_CLUSTER = ("emr-containers:ListVirtualClusters",)
FIND_ASSOCIATION = ("eks:ListPodIdentityAssociations",)
"""Before an `up`, whether somebody else's is in the way; after a killed one, what it was making."""
USE_KEY = {
    "dynamodb": (
        *("kms:DescribeKey", "kms:CreateGrant", "kms:Encrypt", "kms:Decrypt", "kms:ReEncryptFrom", "kms:ReEncryptTo"),
        *("kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext"),
    ),
    "s3": ("kms:GenerateDataKey", "kms:Decrypt"),
}
"""What a service asks for in the name of who makes something with a key of a customer's: a table, an object
(docs.aws.amazon.com: DynamoDB, encryption usage notes; S3, using SSE-KMS)."""
STATE_OBJECTS = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
STATE_BUCKET = ("s3:ListBucket",)
"""Pulumi's state in S3 needs these four actions (pulumi.com, state and backends, AWS S3)."""
STATE_KEY = ("kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey")
"""For its objects, and for what Pulumi itself encrypts in them (the secrets provider awskms)."""
PASSED_TO = {
    "emr-serverless": "emr-serverless.amazonaws.com",
    "emr-ec2": "ec2.amazonaws.com",
    "pod-identity": "pods.eks.amazonaws.com",
}
"""By `aws.runtime.trust`: the service that the engine's role is handed to, when a job is started, or an
instance profile or an association made."""
