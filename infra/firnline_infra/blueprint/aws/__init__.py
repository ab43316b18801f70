"""What must exist in AWS. Defaults are safe ones, so that each definition can be used alone."""

from firnline_infra.blueprint.aws.alarm import Alarm, IngestAlarms
from firnline_infra.blueprint.aws.bucket import Bucket
from firnline_infra.blueprint.aws.engine_document import EngineDocument
from firnline_infra.blueprint.aws.key import EncryptionKey
from firnline_infra.blueprint.aws.ledger_table import LedgerTable
from firnline_infra.blueprint.aws.parameter import Parameter, PublishedOutputs
from firnline_infra.blueprint.aws.role import Role
from firnline_infra.blueprint.aws.secret import Secret
from firnline_infra.blueprint.aws.stream import Stream
from firnline_infra.blueprint.aws.user import User

__all__ = [
    "Alarm",
    "Bucket",
    "EncryptionKey",
    "EngineDocument",
    "IngestAlarms",
    "LedgerTable",
    "Parameter",
    "PublishedOutputs",
    "Role",
    "Secret",
    "Stream",
    "User",
]
