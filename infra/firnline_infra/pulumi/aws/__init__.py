"""Components of AWS resources. Each can be used alone; its arguments are the blueprint's definition."""

from firnline_infra.pulumi.aws.checkpoint_table import CheckpointTable, CheckpointTableArgs
from firnline_infra.pulumi.aws.emr_cluster import EmrCluster, EmrClusterArgs
from firnline_infra.pulumi.aws.encryption_key import EncryptionKey, EncryptionKeyArgs
from firnline_infra.pulumi.aws.engine_configuration import EngineConfiguration, EngineConfigurationArgs
from firnline_infra.pulumi.aws.engine_security_group import EngineSecurityGroup, EngineSecurityGroupArgs
from firnline_infra.pulumi.aws.event_stream import EventStream, EventStreamArgs
from firnline_infra.pulumi.aws.ingest_alarms import IngestAlarms, IngestAlarmsArgs
from firnline_infra.pulumi.aws.instance_profile import InstanceProfile, InstanceProfileArgs
from firnline_infra.pulumi.aws.landing_bucket import LandingBucket, LandingBucketArgs
from firnline_infra.pulumi.aws.log_group import LogGroup, LogGroupArgs
from firnline_infra.pulumi.aws.operations_dashboard import OperationsDashboard, OperationsDashboardArgs
from firnline_infra.pulumi.aws.pod_identity_association import PodIdentityAssociation, PodIdentityAssociationArgs
from firnline_infra.pulumi.aws.published_outputs import PublishedOutputs, PublishedOutputsArgs
from firnline_infra.pulumi.aws.runtime_role import RuntimeRole, RuntimeRoleArgs
from firnline_infra.pulumi.aws.runtime_user import RuntimeUser, RuntimeUserArgs
from firnline_infra.pulumi.aws.secret import Secret, SecretArgs
from firnline_infra.pulumi.aws.serverless_application import ServerlessApplication, ServerlessApplicationArgs
from firnline_infra.pulumi.aws.virtual_cluster import VirtualCluster, VirtualClusterArgs
from firnline_infra.pulumi.aws.vpc_endpoints import VpcEndpoints, VpcEndpointsArgs

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
