"""Why a deployer's policies are as they are: what each statement is about, by its Sid, and why each action is asked for.

Reasons of actions are by the token of the Pulumi type that asks for them (lifecycles.py), or by Sid where no type does.
Tests hold these against the statements and the lifecycles, both ways; docs/permissions.md says them.
"""

from collections.abc import Mapping

from firnline_infra.blueprint.bootstrap.engine_run import SEE_RUN

Reasons = Mapping[str, tuple[str, ...]]
"""Reason to actions."""
DRIFT = "Tells rights that somebody gave by hand (`firnline drift`)."

ABOUT: Mapping[str, str] = {
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
    "OwnBucketObjectv2": "What the engine runs, and its configuration, in its bucket; not the checkpoint, and not what volumes "
    "hold. Each lies under its content's hash, and the stack sets it back to its content, so it may be overwritten.",
    "OwnRole": "What can't widen a role: its tags, who may be it, reading it, removing it.",
    "OwnInstanceProfile": "With `trust: emr-ec2`, through what the machines of a cluster have the engine's role. "
    "No other role gets into it: HandOverEngineRole is asked for too.",
    "OwnUser": "What can't widen the engine's user: its tags, reading it, removing it. Its access keys are not in here.",
    "OwnPolicy": "The policy of the engine's user. It lies under a path that the boundary is not in.",
    "OwnSecret": "The secrets of the private keys, without the right to read them. AWS ends their ARN with six letters.",
    "OwnParameter": "The outputs that are published.",
    "OwnMetricAlarm": "The alarms.",
    "OwnDashboard": "The dashboard, which belongs to no region.",
    "OwnLogGroup": "The group of the engine's logs; what is in it can't be read by this.",
    "OwnSecurityGroup": "The group of the engine's workers. Its id is AWS's, so its tag says whose it is.",
    "MakeSecurityGroup": "A group can only be made with the tag by which it is ours.",
    "MakeSecurityGroupInVpc": "EC2 asks for the same right on the VPC that it is made in.",
    "TagNewSecurityGroup": "The tag, while it is made and at no other time: no other group can be taken.",
    "OwnApplication": "The application of EMR Serverless. Its id is AWS's, so its tag says whose it is.",
    "MakeApplication": "An application can only be made with the tag by which it is ours.",
    "TagNewApplication": "The tag, while it is made. AWS does not tell that from a tag that is given later: an application of "
    "the account that has no tag of ours could be given one, and then be changed, stopped or deleted. No data is in one, and a "
    "job there would still need a role that this deployer may hand over: its own engine's.",
    "ReachNetwork": "An application in a network has interfaces there; AWS asks for this in the name of who makes it, and gives "
    "it for nothing else.",
    "LetEmrServerlessIn": "AWS's own role for EMR Serverless, once an account, made with the first application.",
    "OwnVirtualCluster": "The virtual cluster of EMR on EKS. Its id is AWS's, so its tag says whose it is.",
    "MakeVirtualCluster": "A virtual cluster can only be made with the tag by which it is ours. Whether EMR may do anything in "
    "that namespace, the EKS cluster itself says.",
    "TagNewVirtualCluster": "The tag, while it is made. AWS does not tell that from a tag that is given later: a virtual cluster "
    "of the account that has no tag of ours could be given one, and then be deleted, or jobs be started in it, with the engine's "
    "role alone.",
    "LetEmrOnEksIn": "AWS's own role for EMR on EKS, once an account, made with the first virtual cluster.",
    "OwnCluster": "The cluster of EMR on EC2. Its id is AWS's, so its tag says whose it is; who ends it ends what runs there.",
    "MakeCluster": "A cluster can only be made with the tag by which it is ours. Its machines cost what they cost: neither their "
    "number nor their type can be limited by IAM. They are the engine's role and no other: HandOverEngineRole is asked for too.",
    "TagNewCluster": "The tag, while it is made. AWS does not tell that from a tag that is given later: a cluster of the account "
    "that has no tag of ours could be given one, and then be terminated, or be given steps that have the rights of its nodes. "
    "Where others' clusters are in the account, adopt one that somebody made: then none of this is in the policy.",
    "HandOverServiceRole": "What EMR itself is while it makes machines (`emr_ec2.service_role`), handed to EMR and to no other.",
    "LetEmrCleanUp": "AWS's own role that removes machines of EMR that were left, once an account.",
    "FindCluster": "After a killed `up`, which cluster it was making; where the engine runs.",
    "OwnVpcEndpoint": "The VPC endpoints. Their ids are AWS's, so their tags say whose they are.",
    "MakeEndpoint": "An endpoint can only be made with the tag by which it is ours.",
    "MakeEndpointInVpc": "EC2 asks for the same right on the VPC, of which the specification names one. With private DNS all of "
    "it is led to the endpoint.",
    "PlaceEndpoint": "The same on route tables and subnets, of which the specification names each.",
    "GuardEndpoint": "The same on the endpoints' security group, known by its tag.",
    "NameEndpoint": "Private DNS; asked for by EC2 in the name of who makes the endpoint, and given for nothing else.",
    "TagNewEndpoint": "The tag, while it is made and at no other time: no other endpoint can be taken.",
    "OwnPodIdentityAssociation": "The associations of the engine's service accounts, by their tag, in the one EKS cluster.",
    "MakeAssociation": "An association can only be made with the tag by which it is ours, in the EKS cluster that the "
    "specification names, and of no role but the engine's: HandOverEngineRole is asked for too.",
    "TagNewAssociation": "The tag, while it is made. AWS does not tell that from a tag that is given later: an association of "
    "that cluster that has no tag of ours could be given one, and then be removed, or lead to the engine's role.",
    "FindVirtualCluster": "Whether the namespace has one already; after a killed `up`, which it was making.",
    "FindAssociation": "The same for associations, in the one EKS cluster.",
    "Unbound": "What AWS can't narrow to one resource. In the environment's region alone.",
    "SeeStreams": "Adopted streams: whether they are there, before anything is made. They belong to somebody else.",
    "SeeKey": "The adopted key, for the same.",
    "CompareKey": "The key that the bootstrap made, by its ARN. Whoever deploys sees and uses it, and neither makes, changes "
    "nor removes a key.",
    "SeeBucket": "The adopted bucket, for the same.",
    "SeeRole": "The adopted role of the engine, for the same.",
    "FindApplication": "The same for an application of EMR Serverless.",
    "RegisterConsumers": "A consumer exists once it is registered: until then AWS asks for the right on its stream.",
    "EmptyUser": "`durability: EPHEMERAL` alone: a user can't be removed while it has keys.",
    "ListDevices": "The same. AWS lists the devices of all users, or of none.",
    "ListToEmpty": "`durability: EPHEMERAL` alone: a bucket can't be removed while anything is in it.",
    "Empty": "The same.",
    "RunEngine": "The application that the engine runs in, an adopted one by its ARN. Whoever may start a job chooses its "
    "program, and the program has the engine's role.",
    "SeeRuns": "The runs in it; of an adopted application all, because only a run that was looked at tells whose it is.",
    "CancelRuns": "The engine's runs, by the tag that they are started with.",
    "TagNewRun": "That tag, while a run is started. AWS does not tell that from a tag that is given later: in an adopted "
    "application a run of others that has no tag of ours could be given one, and then be cancelled.",
    "LookForJobs": "The virtual cluster that the engine is a job of, an adopted one by its ARN.",
    "StartJob": "The same, only with the tag by which a job is ours, and only with the engine's role. Whoever may start a job "
    "chooses its program, and the program has the engine's role.",
    "SeeJobs": "The jobs in it; of an adopted one all, because only a job that was looked at tells whose it is.",
    "CancelJob": "The engine's jobs, by the tag that they are started with.",
    "TagNewJob": "That tag, while a job is started. AWS does not tell that from a tag that is given later: a job of others in "
    "that virtual cluster that has no tag of ours could be given one, and then be cancelled.",
    "ReachPods": "The EKS cluster, where the specification names it: what may be done in it, its own rules say.",
    "SeeSteps": "The cluster of EMR on EC2 that the engine is a step of, an adopted one by its ARN.",
    "RunSteps": "The same. A step has neither an ARN nor tags: in a cluster that others use too, theirs could be cancelled, and "
    "whatever is started there has the rights of its nodes. Give the engine a cluster of its own.",
    "KeepDeployments": "One object for each deployment, which its deployer overwrites while it is at work; never removed.",
    "ReadLogs": "What EMR brings of the logs of driver and executors.",
    "SeeShards": "The ledger's table, the rows of streams alone: positions in shards, and no record of any. With SeeRun, how far "
    "the engine is.",
    "AskEngine": "The ledger's table, the items of the engine's own run and of streams' names, and no row of a shard. Whoever "
    "wrote more there than a request could end a run, or mislead the next one about a stream; what is proven can't be written.",
    "HandOverEngineRole": "Who starts a job, or makes an instance profile or an association, hands the engine's role to the "
    "service that runs it, and to no other.",
    "KeyThroughDynamodb": "The environment's key, an adopted one by its ARN; only through DynamoDB, so that nothing "
    "can be decrypted with it directly.",
    "KeyThroughS3": "The same, only through S3.",
    "SeeRun": "The ledger's table, only the items of the engine's own run, and of streams' names: what it runs with, compared by "
    "`firnline drift`, whether it lives, and which rows are a stream's.",
    "ListState": "The bucket of Pulumi's state.",
    "State": "Pulumi's state in it. It holds no secret: none is ever given to Pulumi.",
    "StateKey": "The key of that bucket, which also is what Pulumi encrypts with where it is asked to.",
}

BY_STATEMENT: Mapping[str, Reasons] = {
    "SeeStreams": {"Whether it is there.": ("kinesis:DescribeStreamSummary",)},
    "SeeKey": {"Whether it is there.": ("kms:DescribeKey",)},
    "CompareKey": {
        "Whether it is there, and can be used.": ("kms:DescribeKey",),
        DRIFT: ("kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListGrants"),
    },
    "SeeBucket": {"Whether it is there.": ("s3:ListBucket",)},
    "SeeRole": {"Whether it is there.": ("iam:GetRole",)},
    "FindApplication": {"A name may be several applications'.": ("emr-serverless:ListApplications",)},
    "FindVirtualCluster": {"Which ones there are, and of which namespaces.": ("emr-containers:ListVirtualClusters",)},
    "FindAssociation": {"Which service accounts have one.": ("eks:ListPodIdentityAssociations",)},
    "NameEndpoint": {"Its names lead to it in the VPC.": ("route53:AssociateVPCWithHostedZone",)},
    "FindCluster": {"A name may be several clusters'.": ("elasticmapreduce:ListClusters",)},
    "HandOverServiceRole": {"EMR makes the machines as that role.": ("iam:PassRole",)},
    "LetEmrCleanUp": {"The service makes its role where there is none.": ("iam:CreateServiceLinkedRole",)},
    "LetEmrOnEksIn": {"The service makes its role where there is none.": ("iam:CreateServiceLinkedRole",)},
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
    "RunEngine": {
        "Whether it can run the job: its state, release and architecture.": ("emr-serverless:GetApplication",),
        "Which runs there are that are not over.": ("emr-serverless:ListJobRuns",),
        "Starts the job.": ("emr-serverless:StartJobRun",),
    },
    "SeeRuns": {"What a run is, how it is doing, and where its logs go.": ("emr-serverless:GetJobRun",)},
    "CancelRuns": {"Ends a run, so that the service does not start it again.": ("emr-serverless:CancelJobRun",)},
    "TagNewRun": {"A run says whose it is, and what it runs.": ("emr-serverless:TagResource",)},
    "LookForJobs": {
        "Whether it can run the job.": ("emr-containers:DescribeVirtualCluster",),
        "Which jobs there are that are not over.": ("emr-containers:ListJobRuns",),
    },
    "StartJob": {"Starts the job.": ("emr-containers:StartJobRun",)},
    "SeeJobs": {"What a job is, how it is doing, and where its logs go.": ("emr-containers:DescribeJobRun",)},
    "CancelJob": {"Ends a job, so that the service does not start it again.": ("emr-containers:CancelJobRun",)},
    "TagNewJob": {"A job says whose it is, and what it runs.": ("emr-containers:TagResource",)},
    "ReachPods": {
        "Where the cluster is: whether pods of an ended job are left, its Kubernetes is asked.": (
            "eks:DescribeCluster",
        )
    },
    "SeeSteps": {
        "Whether it can run the step, and where its logs go.": ("elasticmapreduce:DescribeCluster",),
        "Which steps there are, and how the engine's is doing.": (
            *("elasticmapreduce:DescribeStep", "elasticmapreduce:ListSteps"),
        ),
    },
    "RunSteps": {
        "Starts the engine, and the step that ends its YARN application.": ("elasticmapreduce:AddJobFlowSteps",),
        "Cancels a step.": ("elasticmapreduce:CancelSteps",),
    },
    "KeepDeployments": {
        "What was deployed: to go back to, and to see who else is at work.": ("s3:GetObject",),
        "Claims the next number, says that it is still at work, and how it ended.": ("s3:PutObject",),
    },
    "ReadLogs": {"`firnline logs`.": ("s3:GetObject",)},
    "SeeShards": {"Which shards the engine reads, and whether it has reached the tip.": ("dynamodb:Query",)},
    "AskEngine": {"Asks the engine to stop; pauses a stream.": ("dynamodb:UpdateItem",)},
    "HandOverEngineRole": {"Starts the engine with its role.": ("iam:PassRole",)},
    "ReachNetwork": {"EMR Serverless looks whether it may join the subnets.": ("ec2:CreateNetworkInterface",)},
    "LetEmrServerlessIn": {"The service makes its role where there is none.": ("iam:CreateServiceLinkedRole",)},
    "KeyThroughDynamodb": {
        "DynamoDB asks for it in the name of who makes a table with a key of the customer's.": (
            *("kms:DescribeKey", "kms:CreateGrant", "kms:Encrypt", "kms:Decrypt", "kms:ReEncryptFrom"),
            *("kms:ReEncryptTo", "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext"),
        )
    },
    "KeyThroughS3": {"S3 encrypts and decrypts the configuration.": ("kms:GenerateDataKey", "kms:Decrypt")},
    "SeeRun": {next(iter(SEE_RUN.values())): tuple(SEE_RUN)},
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
