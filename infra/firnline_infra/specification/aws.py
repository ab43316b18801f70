"""The AWS side of an environment: where it is, its streams, what the engine runs as."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Runtime
from firnline_ingest.config.access import StreamAccess
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import EXTERNAL_ID, ROLE, STREAM, STREAM_ARN, Form, name_form

BUCKET_NAME = Form(
    r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]",
    "3 to 63 lower-case letters, digits and hyphens, with no hyphen at either end",
    "acme-events",
)
KEY_ARN = Form(
    r"arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key/[A-Za-z0-9-]+",
    "the ARN of a KMS key",
    "arn:aws:kms:eu-central-1:123456789012:key/1a2b3c4d-0000-1111-2222-333344445555",
)
POLICY_ARN = Form(
    r"arn:[a-z-]+:iam::(\d{12}|aws):policy/.+", "the ARN of an IAM policy", "arn:aws:iam::123456789012:policy/boundary"
)
TOPIC_ARN = Form(
    r"arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:.+", "the ARN of an SNS topic", "arn:aws:sns:eu-central-1:123456789012:on-call"
)
NOTIFIED = Form(
    r"[^@\s/]+@[^@\s/]+\.[^@\s/]+|https://[^\s/]+(/\S*)?",
    "an e-mail address, or an https:// URL",
    "on-call@example.com",
)
MOST_TOPICS = 5  # CloudWatch, PutMetricAlarm
AREAS = "af|ap|ca|cn|eu(-isoe)?|eusc-de|il|me|mx|sa|us(-gov|-iso[bf]?)?"
DIRECTIONS = "central|(north|south)(east|west)?|east|west"
REGION = Form(rf"({AREAS})-({DIRECTIONS})-\d{{1,2}}", "an AWS region", "eu-central-1")
"""docs.aws.amazon.com, Regions and Availability Zones: an area, a direction and a number."""
ACCOUNT = Form(r"\d{12}", "twelve digits", "123456789012")
SSM_PREFIX = Form(
    r"(/[A-Za-z0-9_.-]+)+", "parts of letters, digits and _ . - with a slash before each", "/firnline/dev"
)

StreamName = Annotated[str, STREAM]
BucketName = Annotated[str, BUCKET_NAME]
KeyArn = Annotated[str, KEY_ARN]
PolicyArn = Annotated[str, POLICY_ARN]
TopicArn = Annotated[str, TOPIC_ARN]


class EncryptionKeyOptions(Section):
    """The KMS key for the stream, the ledger and the bucket; an adopted one for the secrets too."""

    origin: Origin = Field(default=Origin.CREATE, strict=False)
    """By default the bootstrap creates a customer-managed key, so that you control who may decrypt, and the deployer
    only uses it. `skip` leaves encryption to keys that AWS manages: they cost nothing, and you can't say who may decrypt."""
    arn: KeyArn | None = None
    """The ARN of the key to adopt. Its policy has to let the engine's role use it."""

    @model_validator(mode="after")
    def _arn_belongs_to_adopt(self) -> Self:
        if (self.origin is Origin.ADOPT) != (self.arn is not None):
            raise ValueError("give arn with origin: adopt, and only then")
        return self


class BucketOptions(Section):
    """The S3 bucket for the engine's configuration and Spark's checkpoint."""

    origin: Origin = Field(default=Origin.CREATE, strict=False)
    """`skip` only where nothing has to last: the configuration and the checkpoint then lie on one machine."""
    name: BucketName | None = None
    """<application>-<account>-<region> by default: bucket names are globally unique."""

    @model_validator(mode="after")
    def _an_adopted_one_has_a_name(self) -> Self:
        if self.origin is Origin.ADOPT and self.name is None:
            raise ValueError("give the name of the bucket to adopt")
        return self


class Aws(Section):
    """The AWS side of the environment."""

    region: Annotated[str, REGION]
    """Where everything is made: eu-central-1. The nearer to the Snowflake account, the shorter a row's way."""
    account: Annotated[str, ACCOUNT]
    """In quotes, because YAML would make a number of it; every command refuses to work in another account."""
    partition: Literal["aws", "aws-cn", "aws-us-gov"] = "aws"
    """The first part of every ARN; another one in China and in GovCloud."""
    key: EncryptionKeyOptions = EncryptionKeyOptions.default()
    """The KMS key for the stream, the ledger and the bucket; an adopted one for the secrets too."""
    bucket: BucketOptions = BucketOptions.default()
    """The S3 bucket for the engine's configuration and Spark's checkpoint."""
    runtime: Runtime = Runtime.default()
    """What the engine runs as."""
    permissions_boundary: PolicyArn | None = None
    """The ARN of a policy on every role and user that is made; `firnline bootstrap` writes one, and fences the
    deployer with it."""


class ShardMetric(StrEnum):
    """CloudWatch metrics per shard, paid each."""

    INCOMING_BYTES = "IncomingBytes"
    """What producers put; the limit is 1 MB a second."""
    INCOMING_RECORDS = "IncomingRecords"
    """How many they put; the limit is 1,000 a second."""
    OUTGOING_BYTES = "OutgoingBytes"
    """What consumers read; the limit is 2 MB a second to all of them together."""
    OUTGOING_RECORDS = "OutgoingRecords"
    """How many they read."""
    WRITE_THROTTLED = "WriteProvisionedThroughputExceeded"
    """Puts that were refused: the shard is full."""
    READ_THROTTLED = "ReadProvisionedThroughputExceeded"
    """Reads that were refused: too many consumers share the shard."""
    ITERATOR_AGE = "IteratorAgeMilliseconds"
    """How far behind its end a shard is read."""


OF_A_STREAM_ELSEWHERE = {"arn", "role_arn", "external_id", "access"}


class StreamOptions(Section):
    """A Kinesis data stream."""

    name: StreamName
    """Producers know it, and it can't be changed."""
    origin: Origin = Field(default=Origin.CREATE, strict=False)
    """`adopt` reads a stream that exists, and leaves it as it is."""
    shards: int | None = Field(default=None, ge=1, le=10_000)
    """Each takes 1 MB or 1,000 records a second, and gives 2 MB a second; watch WriteProvisionedThroughputExceeded.
    Absent: on demand, AWS scales and bills by volume."""
    retention_hours: int = Field(default=24, ge=24, le=8760)
    """How long the engine may be down without losing a record; every hour beyond 24 costs money. Watch the time to
    trim."""
    shard_metrics: list[Annotated[ShardMetric, Field(strict=False)]] = Field(default=[])
    """None by default, because each is paid for each shard. IteratorAgeMilliseconds shows which shard lags."""
    max_record_kib: int = Field(default=1024, ge=1024, le=10_240)
    """The largest record in KiB that producers may put; 1024 is what every stream takes. A row that Snowflake takes is
    smaller: see the engine's limits."""
    consumers: list[Annotated[str, name_form(1, 128, example="audit")]] = Field(default=[])
    """Consumers with a throughput of their own (enhanced fan-out), paid each."""
    key_arn: KeyArn | None = None
    """The KMS key of an adopted stream that has one of its own, so that the engine may decrypt with it."""
    arn: Annotated[str, STREAM_ARN] | None = None
    """Of an adopted stream in another region or account (docs/credentials.md). One of another account that no role opens is
    asked for by it, and opened by its own policy, which `firnline cross-account` prints."""
    role_arn: Annotated[str, ROLE] | None = None
    """The role of the stream's account that opens it: the engine assumes it, and has no right of its own there. `firnline
    cross-account` prints what its owner makes."""
    external_id: Annotated[str, EXTERNAL_ID] | None = None
    """What the role's trust asks for, where its owner wants that; no secret."""
    access: StreamAccess = StreamAccess.default()
    """How an adopted stream is reached, where one role does not say it: a chain of roles, a profile, a key, a web identity, an
    endpoint."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that are assumed one after the other; the last one opens the stream."""
        own = () if self.role_arn is None else (self.role_arn,)
        return own or tuple(role.arn for role in self.access.roles)

    @property
    def is_opened_by_another(self) -> bool:
        """True if the engine's own rights do not open it."""
        return bool(self.roles) or self.access.has_beginning

    @model_validator(mode="after")
    def _an_adopted_one_is_left_as_it_is(self) -> Self:
        if self.origin is Origin.SKIP:
            raise ValueError("a stream is created or adopted; without one there is nothing to read")
        if self.role_arn is not None and (self.access.roles or self.access.has_beginning):
            raise ValueError("give role_arn, or access with all its roles")
        given = self.model_fields_set - {"name", "origin", "key_arn", "consumers", *OF_A_STREAM_ELSEWHERE}
        if self.origin is Origin.ADOPT and given:
            raise ValueError(f"origin: adopt leaves the stream as it is; remove {', '.join(sorted(given))}")
        if self.origin is Origin.CREATE and self.key_arn is not None:
            raise ValueError("key_arn belongs to origin: adopt; a stream that is created has the environment's key")
        if self.origin is Origin.CREATE and (theirs := OF_A_STREAM_ELSEWHERE & self.model_fields_set):
            raise ValueError(
                f"{', '.join(sorted(theirs))}: belongs to origin: adopt; a stream is created where the environment is"
            )
        return self


class Ledger(Section):
    """The DynamoDB table that fences shards and remembers where they are."""

    table: Annotated[str, name_form(3, 255, example="firnline-dev")] | None = None
    """The table's name; the application's by default. It can't change once records have flowed."""
    migration: bool = False
    """Makes <table>_migration too, for the time of a migration from another consumer's checkpoints."""


class Alarms(Section):
    """Settings of what notifies an operator."""

    topics: list[TopicArn] = Field(default=[])
    """ARNs of SNS topics that are notified, five at most; without one, and without `notify`, no alarm is made."""
    notify: list[Annotated[str, NOTIFIED]] = Field(default=[])
    """E-mail addresses and https:// URLs that are notified by a topic of the environment's own. SNS asks each of them to
    confirm within 48 hours. A URL is in the state, and in plans: if it is a secret, name a topic of your own."""
    lag_minutes: int = Field(default=15, ge=1, le=1440)
    """How many minutes behind a stream's end its readers may be, for three periods of five minutes. Far below the
    retention, so that an operator can act; watch GetRecords.IteratorAgeMilliseconds."""
    time_to_trim_hours: int = Field(default=6, ge=1, le=8759)
    """When in less hours than this a stream drops records that were not read: the last call, after the
    one for the lag. As all alarms on what the engine counts, it is there where its log goes to CloudWatch."""
    dead_letters: int = Field(default=1, ge=1)
    """How many dead letters of a stream within five minutes are allowed before an alarm."""

    @property
    def are_made(self) -> bool:
        return bool(self.topics or self.notify)

    @property
    def hosts(self) -> dict[str, str]:
        """The services that a deployer reaches for them, and why."""
        made = {"monitoring": "alarms"} if self.are_made else {}
        return made | ({"sns": "the topic of alarms.notify"} if self.notify else {})

    @model_validator(mode="after")
    def _an_alarm_notifies_a_few(self) -> Self:
        if twice := sorted({each for each in self.notify if self.notify.count(each) > 1}):
            raise ValueError(f"notify: {', '.join(twice)} must be given once")
        if self.notify and len(self.topics) >= MOST_TOPICS:
            raise ValueError(f"an alarm notifies {MOST_TOPICS} topics, and notify makes one; topics must be fewer")
        return self


class Publication(Section):
    """The places at which other tools find what was made."""

    ssm_prefix: Annotated[str, SSM_PREFIX] | None = None
    """Where parameters of Systems Manager are written for other tools: <ssm_prefix>/engine-config; none by default."""
