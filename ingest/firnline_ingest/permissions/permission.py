"""A permission: an action, the kind of resource it is needed on, when, who calls it, and why."""

from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum, auto


class Feature(StrEnum):
    """Abilities that an engine can be configured with. STREAMS and LEDGER are always on."""

    STREAMS = auto()
    """Knows the shards of its streams, however it reads them."""
    POLLING = auto()
    """`reader: polling` of a pipeline: GetRecords."""
    FAN_OUT = auto()
    """`reader.fan_out` of a pipeline: SubscribeToShard by a registered consumer."""
    REGISTRATION = auto()
    """`reader.fan_out.registration: eager` or `lazy` of a pipeline: the engine registers the consumer itself."""
    STREAM_PATTERNS = auto()
    """`patterns`: streams are found by their names."""
    LEDGER = auto()
    LEDGER_CREATION = auto()
    """`ledger.create`: the engine makes the table where infrastructure does not."""
    SECRET = auto()
    """`snowflake.private_key.secret_arn`: the key is in Secrets Manager, not in a file or a variable."""
    GLUE_REGISTRY = auto()
    """`format.framing: glue` of Avro: schemas are in AWS Glue's registry."""
    REGISTRY_LOGIN = auto()
    """`format.registry.login.secret_arn`, `proxy.login.secret_arn`: the login for a registry, or for the proxy, is in Secrets
    Manager."""
    REGISTRY_LOGIN_KEY = auto()
    """`format.registry.login.secret_key_arn`: that secret has a key of the customer's."""
    S3_CHECKPOINT = auto()
    """`spark.checkpoint` is an s3:// or s3a:// URL."""
    S3_JOB_FILES = auto()
    """spark-submit is given the program and engine.json as s3:// URLs."""
    S3_DEAD_LETTERS = auto()
    """`dead_letters.s3`: a folder of the bucket."""
    S3_OVERSIZE_ROWS = auto()
    """`oversize_rows: file` of a pipeline, with `dead_letters.s3`: the engine itself replays dead letters by file."""
    S3_LOGS = auto()
    """The job's logs go to a folder of the bucket, written by EMR with the job's role."""
    STREAM_DEAD_LETTERS = auto()
    """`dead_letters.stream`: a Kinesis stream."""
    LETTER_STREAM_KEY = auto()
    STREAM_KEY = auto()
    """A stream is encrypted with a key of the customer's; AWS's own keys need no permission."""
    LEDGER_KEY = auto()
    SECRET_KEY = auto()
    BUCKET_KEY = auto()


class Resource(StrEnum):
    """Kinds of resources; a policy has one statement for each. Beside some: what narrows it further."""

    STREAMS = auto()
    EVERY_STREAM = auto()  # of the account, in the region: names only
    CONSUMERS = auto()
    UNREGISTERED = auto()  # streams whose consumers the engine registers
    REGISTERED = auto()  # consumers that it registers: by name, because the time of registration ends their ARNs
    STREAM_KEYS = auto()  # through Kinesis, for records of these streams
    LEDGER_TABLE = auto()
    LEDGER_ITEMS = auto()  # of these streams, and the engine's own
    LEDGER_KEY = auto()  # through DynamoDB, for this table
    SECRET = auto()
    SECRET_KEY = auto()  # through Secrets Manager, for this secret
    EVERY_SCHEMA = auto()  # of the account, in the region: a record names a version, and not whose it is
    REGISTRY_LOGINS = auto()
    REGISTRY_LOGIN_KEYS = auto()  # through Secrets Manager, for these secrets
    BUCKET = auto()  # the names in the checkpoint's folder
    CHECKPOINT = auto()  # objects in its folder
    JOB_FILES = auto()  # objects in their folders
    DEAD_LETTERS = auto()  # objects in their folder
    DEAD_LETTER_NAMES = auto()  # of the bucket, those in that folder
    LOGS = auto()  # objects in their folder
    LETTER_STREAM = auto()
    LETTER_STREAM_KEY = auto()  # through Kinesis, for records of this stream
    BUCKET_KEY = auto()  # through S3


class Caller(StrEnum):
    """The caller of an operation. What the engine does not call itself, something that it uses calls with its rights."""

    ENGINE = "engine"
    SPARK = "Spark"
    EMR = "EMR"
    KINESIS = "kinesis"
    DYNAMODB = "dynamodb"
    SECRETS_MANAGER = "secretsmanager"
    S3 = "s3"


@dataclass(frozen=True, kw_only=True, slots=True)
class Permission:
    """One action on one kind of resource, needed where all of `features` are on, and one of `either` if there are any."""

    action: str
    """As IAM writes it: kinesis:GetRecords."""
    on: Resource
    features: frozenset[Feature]
    either: frozenset[Feature] = frozenset()
    why: str
    caller: Caller = Caller.ENGINE

    def is_needed(self, on: Set[Feature]) -> bool:
        return self.features <= on and (not self.either or bool(self.either & on))
