"""EnvironmentSpec: what an environment is, in one document.

Everything else is derived: names (spec/names.py), objects (blueprint/), the engine's configuration. Nothing secret
belongs here.
"""

from typing import Annotated, Literal

from pydantic import Field

from firnline_infra.spec.identifier import IdentifierText
from firnline_infra.spec.public_key import PublicKeyText
from firnline_ingest.config.document import Section
from firnline_ingest.config.model import Epoch, InitialPosition, Metadata, Polling, Tolerance

StreamName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")]


class Aws(Section):
    """Where the AWS side of the environment lives."""

    region: str = Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")
    account: str = Field(pattern=r"^\d{12}$")
    """Twelve digits, in quotes; every command refuses to work in another account."""


class Stream(Section):
    """A Kinesis data stream with provisioned shards."""

    name: StreamName
    shards: int = Field(default=1, ge=1, le=10_000)
    """Each takes 1 MB or 1,000 records a second, and gives 2 MB a second. One suffices until producers are throttled:
    watch WriteProvisionedThroughputExceeded."""
    retention_hours: int = Field(default=24, ge=24, le=8760)
    """How long the engine may be down without losing a record; every hour beyond 24 costs money. Watch the time to
    trim."""


class Pipeline(Section):
    """One stream into one table."""

    stream: StreamName
    database: IdentifierText
    schema_: IdentifierText = Field(alias="schema")
    table: IdentifierText | None = None
    """Made from the stream's name where absent. Upper-cased as everywhere in Snowflake; quote it to keep its case."""
    schema_evolution: bool = True
    """First-level keys without a column get one. Where off, they are ignored and counted."""
    error_logging: bool = True
    """Keeps rows that Snowflake rejects in the table's error table; without it they can't be told from loaded ones."""
    row_timestamp: bool = True
    """Lets METADATA$ROW_LAST_COMMIT_TIME say when a row became visible: the latency report needs it."""
    tolerance: Tolerance = Field(default=Tolerance.NONE, strict=False)
    """`none`: a row that Snowflake rejects stops its shard, so that a person sees it. `all`: it stays in the error
    table."""
    initial_position: InitialPosition = InitialPosition()
    """Where a shard is begun that was never read before; TRIM_HORIZON, because nothing should be missed silently."""
    metadata: Metadata = Metadata()
    """The object column that every table begins with, and what goes into it."""


class Ledger(Section):
    """The DynamoDB table that fences shards and remembers where they are."""

    table: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_.-]{3,255}$")
    """Named as the application where absent; can't change once records have flowed."""


class PublicKeys(Section):
    """The two places that a Snowflake user has for public keys, so that a key can be replaced while in use."""

    slot_1: PublicKeyText | None = None
    """RSA_PUBLIC_KEY"""
    slot_2: PublicKeyText | None = None
    """RSA_PUBLIC_KEY_2"""


class ServiceUser(Section):
    """A user for a program, and the one role it has."""

    user: IdentifierText | None = None
    """FIRNLINE_<environment>_INGEST or _READER where absent."""
    role: IdentifierText | None = None
    """Named as the user where absent."""
    public_keys: PublicKeys = PublicKeys()
    """Where both are absent, the environment makes a key pair itself (only the embedded one does)."""


class Snowflake(Section):
    """The account, and who writes and reads there."""

    account: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,255}$")
    """<organisation>-<account>, as in the account's URL."""
    ingest: ServiceUser = ServiceUser()
    """What the engine is: may insert, and nothing else."""
    reader: ServiceUser = ServiceUser()
    """What the audit, the status page and people are: may select."""
    reader_warehouse: IdentifierText | None = None
    """Runs the reader's queries; it exists already. The engine needs none: ingestion is serverless."""


class EnvironmentSpec(Section):
    """What an environment is."""

    version: Literal[1]
    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")
    """Part of every derived name: dev, staging, prod."""
    application: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    """Names the engine and its ledger; firnline-<name> where absent. Can't change once records have flowed."""
    aws: Aws
    snowflake: Snowflake
    streams: list[Stream] = Field(min_length=1)
    pipelines: list[Pipeline] = Field(min_length=1)
    ledger: Ledger = Ledger()
    epoch: Epoch = Epoch()
    """Passed to the engine as it is."""
    polling: Polling = Polling()
    """Passed to the engine as it is."""
    tags: dict[str, str] = Field(default_factory=dict)
    """On every AWS object, beside Firnline's own."""
