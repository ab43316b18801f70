"""Components of AWS resources. Each can be used alone; its arguments are the blueprint's definition."""

from firnline_infra.pulumi.aws.checkpoint_table import CheckpointTable, CheckpointTableArgs
from firnline_infra.pulumi.aws.eks import (
    ImageRepository,
    ImageRepositoryArgs,
    PodIdentityAssociation,
    PodIdentityAssociationArgs,
)
from firnline_infra.pulumi.aws.emr import (
    EmrCluster,
    EmrClusterArgs,
    ServerlessApplication,
    ServerlessApplicationArgs,
    VirtualCluster,
    VirtualClusterArgs,
)
from firnline_infra.pulumi.aws.engine_configuration import EngineConfiguration, EngineConfigurationArgs
from firnline_infra.pulumi.aws.event_stream import EventStream, EventStreamArgs
from firnline_infra.pulumi.aws.iam import (
    InstanceProfile,
    InstanceProfileArgs,
    RuntimeRole,
    RuntimeRoleArgs,
    RuntimeUser,
    RuntimeUserArgs,
)
from firnline_infra.pulumi.aws.keys_and_secrets import EncryptionKey, EncryptionKeyArgs, Secret, SecretArgs
from firnline_infra.pulumi.aws.landing_bucket import LandingBucket, LandingBucketArgs
from firnline_infra.pulumi.aws.network import (
    EngineSecurityGroup,
    EngineSecurityGroupArgs,
    VpcEndpoints,
    VpcEndpointsArgs,
)
from firnline_infra.pulumi.aws.observability import (
    IngestAlarms,
    IngestAlarmsArgs,
    LogGroup,
    LogGroupArgs,
    OperationsDashboard,
    OperationsDashboardArgs,
    PublishedOutputs,
    PublishedOutputsArgs,
)
from firnline_infra.pulumi.aws.redshift import (
    RedshiftProvisioned,
    RedshiftProvisionedArgs,
    RedshiftServerless,
    RedshiftServerlessArgs,
)

__all__ = [
    "CheckpointTable",
    "CheckpointTableArgs",
    "EmrCluster",
    "EmrClusterArgs",
    "EncryptionKey",
    "EncryptionKeyArgs",
    "EngineConfiguration",
    "EngineConfigurationArgs",
    "EngineSecurityGroup",
    "EngineSecurityGroupArgs",
    "EventStream",
    "EventStreamArgs",
    "ImageRepository",
    "ImageRepositoryArgs",
    "IngestAlarms",
    "IngestAlarmsArgs",
    "InstanceProfile",
    "InstanceProfileArgs",
    "LandingBucket",
    "LandingBucketArgs",
    "LogGroup",
    "LogGroupArgs",
    "OperationsDashboard",
    "OperationsDashboardArgs",
    "PodIdentityAssociation",
    "PodIdentityAssociationArgs",
    "PublishedOutputs",
    "PublishedOutputsArgs",
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
    "ServerlessApplication",
    "ServerlessApplicationArgs",
    "VirtualCluster",
    "VirtualClusterArgs",
    "VpcEndpoints",
    "VpcEndpointsArgs",
]
