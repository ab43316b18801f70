"""Components of AWS resources. Each can be used alone; its arguments are the blueprint's definition."""

from firnline_infra.pulumi.aws.engine_configuration import EngineConfiguration, EngineConfigurationArgs
from firnline_infra.pulumi.aws.redshift import (
    RedshiftProvisioned,
    RedshiftProvisionedArgs,
    RedshiftServerless,
    RedshiftServerlessArgs,
)
from firnline_infra.pulumi.aws.runtime import RuntimeRole, RuntimeRoleArgs, RuntimeUser, RuntimeUserArgs
from firnline_infra.pulumi.aws.storage import (
    CheckpointTable,
    CheckpointTableArgs,
    EncryptionKey,
    EncryptionKeyArgs,
    EventStream,
    EventStreamArgs,
    LandingBucket,
    LandingBucketArgs,
    Secret,
    SecretArgs,
)

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
