"""Why a statement of a bootstrap's policies asks for its actions, by its Sid, where no type of resource says it."""

from collections.abc import Mapping

from firnline_infra.blueprint.iam.engine import SIDS
from firnline_infra.render.bootstrap import dead_letter_replayer, engine_run, key_keeper
from firnline_infra.render.bootstrap.engine_run import SEE_RUN
from firnline_infra.render.bootstrap.reasons import DRIFT, Reasons
from firnline_ingest.permissions import PERMISSIONS

DEPLOYER: Mapping[str, Reasons] = {
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

KEY_KEEPER = {
    "KeepPrivateKeys": key_keeper.KEEP_SECRET,
    "KeyOfSecrets": key_keeper.USE_SECRETS_KEY,
    "FindEnvironmentKey": key_keeper.FIND_KEY,
    "SeeRun": engine_run.SEE_RUN,
    "KeyOfLedger": engine_run.USE_LEDGERS_KEY,
    "KeepAccessKey": key_keeper.KEEP_ACCESS_KEY,
    "MakeAccessKey": key_keeper.MAKE_ACCESS_KEY,
}

LETTER_REPLAYER = {
    "ListLetters": dead_letter_replayer.LIST,
    "ReadLetters": dead_letter_replayer.READ,
    "KeepReplays": dead_letter_replayer.KEEP,
    "KeyOfLetters": dead_letter_replayer.USE_KEY,
    "ReadLetterStream": dead_letter_replayer.READ_STREAM,
    "KeyOfLetterStream": dead_letter_replayer.USE_STREAMS_KEY,
    "SeeLedger": dead_letter_replayer.SEE_LEDGER,
    "KeyOfLedger": dead_letter_replayer.USE_LEDGERS_KEY,
    "OpenPrivateKey": dead_letter_replayer.OPEN_KEY,
    "KeyOfPrivateKey": {"kms:Decrypt": key_keeper.USE_SECRETS_KEY["kms:Decrypt"]},
    **{
        SIDS[on]: {each.action: each.why for each in PERMISSIONS if each.on is on}
        for on in dead_letter_replayer.OF_ENGINE
    },
}
