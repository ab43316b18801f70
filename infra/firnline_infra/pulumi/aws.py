"""Components of AWS resources. Each can be used alone; its arguments are the blueprint's definition."""

from typing import Any, cast

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Bucket as LandingBucketArgs
from firnline_infra.blueprint.aws import EncryptionKeyDefinition as EncryptionKeyArgs
from firnline_infra.blueprint.aws import EngineDocument as EngineConfigurationArgs
from firnline_infra.blueprint.aws import IamRole as RuntimeRoleArgs
from firnline_infra.blueprint.aws import IamUser as RuntimeUserArgs
from firnline_infra.blueprint.aws import LedgerTable as CheckpointTableArgs
from firnline_infra.blueprint.aws import SecretDefinition as SecretArgs
from firnline_infra.blueprint.aws import Stream as EventStreamArgs
from firnline_infra.blueprint.engine_config import document_hash, document_text
from firnline_infra.blueprint.redshift.definitions import RedshiftCluster as RedshiftProvisionedArgs
from firnline_infra.blueprint.redshift.definitions import RedshiftWorkgroup as RedshiftServerlessArgs
from firnline_infra.kinds.keys_and_secrets import encryption_key, secret
from firnline_infra.kinds.principals import runtime_role, runtime_user
from firnline_infra.kinds.redshift import redshift_cluster, redshift_serverless
from firnline_infra.kinds.storage import landing_bucket
from firnline_infra.kinds.streams import event_stream
from firnline_infra.kinds.tables import checkpoint_table
from firnline_infra.pulumi.references import as_input
from firnline_infra.pulumi.rendering import DefinedComponent, child_of

__all__ = [
    "CheckpointTable",
    "CheckpointTableArgs",
    "EncryptionKey",
    "EncryptionKeyArgs",
    "EngineConfiguration",
    "EngineConfigurationArgs",
    "EventStream",
    "EventStreamArgs",
    "LandingBucket",
    "LandingBucketArgs",
    "RedshiftProvisioned",
    "RedshiftProvisionedArgs",
    "RedshiftServerless",
    "RedshiftServerlessArgs",
    "RuntimeRole",
    "RuntimeRoleArgs",
    "RuntimeUser",
    "RuntimeUserArgs",
    "Secret",
    "SecretArgs",
]


class EventStream(DefinedComponent[EventStreamArgs], describe=event_stream):
    """Creates a Kinesis stream, encrypted and on demand unless it is said otherwise, and its consumers; or adopts a stream,
    of which only the consumers are made.

    >>> orders = EventStream("orders", EventStreamArgs(name="orders"))
    >>> arn = "arn:aws:kinesis:eu-west-1:111122223333:stream/clicks"
    >>> clicks = EventStream("clicks", EventStreamArgs(name="clicks", existing_arn=arn, consumers=("fraud",)))

    To take over one that exists: `pulumi import aws:kinesis/stream:Stream NAME-stream STREAM`. Where AWS scales the shards,
    their number is left to it.
    """

    arn: pulumi.Output[str]
    consumer_arns: dict[str, pulumi.Output[str]]
    """The ARN of each consumer by its name."""


class CheckpointTable(DefinedComponent[CheckpointTableArgs], describe=checkpoint_table):
    """Creates the ledger's DynamoDB table: encrypted, on demand, restorable to any second; and its companion while another
    consumer's checkpoints are taken over.

    >>> table = CheckpointTable("ledger", CheckpointTableArgs(name="firnline-orders"))

    To adopt: `pulumi import aws:dynamodb/table:Table NAME-table TABLE`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]


class LandingBucket(DefinedComponent[LandingBucketArgs], describe=landing_bucket):
    """Creates an S3 bucket that is versioned, encrypted, closed to the public and reached only through TLS.

    >>> bucket = LandingBucket("bucket", LandingBucketArgs(name="orders-111122223333-eu-west-1"))

    To adopt: `pulumi import aws:s3/bucket:Bucket NAME-bucket BUCKET`; the settings have the bucket's name as their id too.
    """

    name: pulumi.Output[str]
    """Known once the bucket is as it should be: what is put there by name is encrypted and versioned."""
    arn: pulumi.Output[str]


class EncryptionKey(DefinedComponent[EncryptionKeyArgs], describe=encryption_key):
    """Creates a KMS key that is rotated every year, and its alias.

    >>> from firnline_infra.blueprint.iam.resource_policies import key_policy
    >>> policy = key_policy(account_root="arn:aws:iam::111122223333:root")
    >>> key = EncryptionKey("key", EncryptionKeyArgs(alias="orders", policy=policy))

    To adopt: `pulumi import aws:kms/key:Key NAME-key KEY-ID`, `aws:kms/alias:Alias NAME-alias alias/ALIAS`.
    """

    arn: pulumi.Output[str]


class Secret(DefinedComponent[SecretArgs], describe=secret):
    """Creates a secret without a value, or takes over the one that holds it already. No version of it is ever a resource:
    then the key would be in a state file.

    >>> secret = Secret("ingest", SecretArgs(name="orders/snowflake/ingest"))
    """

    arn: pulumi.Output[str]


class RuntimeRole(DefinedComponent[RuntimeRoleArgs], describe=runtime_role):
    """Creates an IAM role and its one inline policy, exactly as the statements say.

    >>> from firnline_infra.blueprint.iam import PolicyStatement
    >>> service = {"Service": "emr-serverless.amazonaws.com"}
    >>> trust = PolicyStatement(sid="Emr", actions=("sts:AssumeRole",), principals=service)
    >>> stream = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    >>> read = PolicyStatement(sid="Read", actions=("kinesis:GetRecords",), resources=(stream,))
    >>> role = RuntimeRole("engine", RuntimeRoleArgs(name="orders-engine", trust=(trust,), statements=(read,)))

    To adopt: `pulumi import aws:iam/role:Role NAME-role ROLE`, `aws:iam/rolePolicy:RolePolicy NAME-policy ROLE:firnline`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]


class RuntimeUser(DefinedComponent[RuntimeUserArgs], describe=runtime_user):
    """Creates an IAM user with one managed policy of its own. Its access keys are made where no state sees them.

    >>> from firnline_infra.blueprint.iam import PolicyStatement
    >>> stream = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    >>> read = PolicyStatement(sid="Read", actions=("kinesis:GetRecords",), resources=(stream,))
    >>> user = RuntimeUser("engine", RuntimeUserArgs(name="orders-engine", statements=(read,)))

    To adopt: `pulumi import aws:iam/user:User NAME-user USER`, `aws:iam/policy:Policy NAME-policy POLICY_ARN`. What a user
    has is attached again, which changes nothing.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]


class RedshiftServerless(DefinedComponent[RedshiftServerlessArgs], describe=redshift_serverless):
    """Creates a namespace of Redshift Serverless, which may read streams as one role, and a workgroup over it.

    Views are made by `firnline redshift apply`: the provider's statement forgets what it ran after a day, and would run it again.

    >>> reads = "arn:aws:iam::111122223333:role/orders-redshift"
    >>> redshift = RedshiftServerless("redshift", RedshiftServerlessArgs(name="orders", database="dev", role_arn=reads))

    To adopt: `pulumi import aws:redshiftserverless/namespace:Namespace NAME-namespace NAMESPACE`,
    `aws:redshiftserverless/workgroup:Workgroup NAME-workgroup WORKGROUP`.
    """

    workgroup_name: pulumi.Output[str]


class RedshiftProvisioned(DefinedComponent[RedshiftProvisionedArgs], describe=redshift_cluster):
    """Creates a cluster that may read streams as one role: encrypted, in its VPC alone, with a password that AWS keeps.

    >>> reads = "arn:aws:iam::111122223333:role/orders-redshift"
    >>> cluster = RedshiftProvisioned(
    ...     "redshift",
    ...     RedshiftProvisionedArgs(
    ...         name="orders", database="dev", administrator="admin", role_arn=reads, node_type="ra3.large", nodes=1
    ...     ),
    ... )

    To adopt: `pulumi import aws:redshift/cluster:Cluster NAME-cluster IDENTIFIER`.
    """

    cluster_identifier: pulumi.Output[str]


class EngineConfiguration(pulumi.ComponentResource):
    """Creates the object `configuration/HASH.json` in the bucket. It stays there when another takes its place: a job that
    still runs with it has to find it when it restarts.

    >>> document = {
    ...     "version": 1, "application": "orders", "aws": {"region": "eu-west-1"}, "ledger": {"table": "orders"},
    ...     "snowflake": {"account": "ORG-ACCOUNT", "user": "LOADER", "role": "LOADER", "private_key": {"env": "KEY"}},
    ...     "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
    ...     "dead_letters": {"folder": "/letters"}, "spark": {"checkpoint": "s3://lake/checkpoint/orders/"},
    ... }
    >>> configuration = EngineConfiguration("engine", EngineConfigurationArgs(document=document, bucket="lake"))
    """

    document: pulumi.Output[dict[str, Any]]
    hash: pulumi.Output[str]
    url: pulumi.Output[str] | None
    """s3://…; None without a bucket."""

    def __init__(self, name: str, args: EngineConfigurationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:EngineConfiguration", name, None, opts)
        self.document = pulumi.Output.from_input(cast("pulumi.Input[dict[str, Any]]", args.document))
        self.hash = self.document.apply(document_hash)
        self.url = None
        if args.bucket is not None:
            key = pulumi.Output.format("{0}{1}.json", args.folder, self.hash)
            stored = aws.s3.BucketObjectv2(
                f"{name}-document",
                bucket=as_input(args.bucket),
                key=key,
                content=self.document.apply(document_text),
                content_type=args.content_type,
                opts=child_of(self, retain_on_delete=True),
            )
            self.url = pulumi.Output.format("s3://{0}/{1}", stored.bucket, stored.key)
        self.register_outputs({"hash": self.hash, "url": self.url})
