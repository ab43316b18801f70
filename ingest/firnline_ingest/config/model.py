"""EngineConfig: the only thing the engine reads.

Infrastructure writes it from its outputs; nothing secret is in it, only where a secret is found. An unchanged
configuration has an unchanged hash.
"""

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.access import HERE, Access, AwsOptions
from firnline_ingest.config.account import ACCOUNT, ACCOUNT_URL, account_host
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import APPLICATION, STREAM, AwsService, Form
from firnline_ingest.config.identifier import IdentifierText
from firnline_ingest.config.login import ServiceLogin, SnowflakeOptions
from firnline_ingest.config.metrics import MetricsConfig
from firnline_ingest.config.patterns import (
    NamePattern,
    check_template,
    expanded,
    groups_of,
    literal_overlaps,
    that_match,
)
from firnline_ingest.config.pipeline import EngineOptions
from firnline_ingest.config.reader import FanOutReader
from firnline_ingest.config.routes import Routes
from firnline_ingest.config.rows import PipeRows
from firnline_ingest.config.running import RunOptions
from firnline_ingest.config.transform import refuse_key_of_no_record
from firnline_ingest.identifiers import quoted, stored_name, table_name

S3_FOLDER = Form(
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/([A-Za-z0-9!_.*'()-]+/)*",
    "s3://, a bucket, and a folder that ends with a slash",
    "s3://acme-lake/dead-letters/",
)


class AwsConfig(AwsOptions):
    """The way to AWS."""

    region: str
    """Of the streams, the ledger, the secrets and the dead letters; a stream may say another one for itself (`access`)."""
    endpoints: dict[AwsService, str] = Field(default={})
    """A URL per service, for private endpoints and emulators; the public endpoint by default."""


class SnowflakeConfig(ServiceLogin, SnowflakeOptions):
    """The account and the service user that writes."""

    account: Annotated[str, ACCOUNT]
    """As in the URL: ORGANISATION-ACCOUNT, or a locator with its region."""
    url: Annotated[str, ACCOUNT_URL] | None = None
    """https://<account>.snowflakecomputing.com by default, with a hyphen for each underscore; set it for private connectivity,
    and for an account in China (.cn)."""

    @property
    def base_url(self) -> str:
        return (self.url or f"https://{account_host(self.account)}").rstrip("/")


class PipelineConfig(EngineOptions):
    """One stream into one table, or into several by its routes."""

    stream: Annotated[str, STREAM]
    """The name; no ARN: `access` says the region, and the role or the ARN, of one elsewhere."""
    table: IdentifierText | None = None
    access: Access = HERE
    """How the stream is reached where it is in another region or account."""
    routes: Routes | None = None
    """Sends records to other tables by what is in them (docs/routes.md); all go into one by default."""

    @property
    def own_table(self) -> str:
        """The stored name of the table that the records go to which no route sends elsewhere."""
        return stored_name(self.table) if self.table else table_name(self.stream)

    @property
    def tables(self) -> tuple[str, ...]:
        """The stored names of all, its own first."""
        return (self.own_table, *(self.routes.names if self.routes else ()))

    @model_validator(mode="after")
    def _rows_of_routes_are_counted(self) -> Self:
        if self.routes is not None and self.pipe_rows is not PipeRows.ONE:
            raise ValueError(f"pipe_rows: {self.pipe_rows} does not go with routes; use a pipeline for each table")
        return self

    @model_validator(mode="after")
    def _an_arn_is_of_the_stream(self) -> Self:
        arn = self.access.arn
        if arn is not None and (named := arn.rpartition("/")[2]) != self.stream:
            raise ValueError(f"access.arn: is of stream {named}; expected {self.stream}, as in stream")
        return self

    @model_validator(mode="after")
    def _routes_lead_elsewhere(self) -> Self:
        own = self.own_table
        self.refuse_files_of_other_columns()
        if self.routes:
            refuse_key_of_no_record(self.routes.key, self.transforms, self.content_keys, self.metadata_keys)
        if self.routes and own in self.routes.names:
            raise ValueError(
                f"routes.tables: {own} is the pipeline's own table; leave it out, and say unmatched: own_table"
            )
        return self

    @property
    def conversion_hash(self) -> str:
        made = super().conversion_hash
        return hashlib.sha256((made + self.routes.hash).encode()).hexdigest()[:16] if self.routes else made

    @property
    def routed(self) -> dict[str, "PipelineConfig"]:
        """A pipeline for each table that the routes name, as if every row went there; keyed by the table's stored name."""
        names = self.routes.names if self.routes else ()
        return {
            name: self.model_copy(
                update={"table": quoted(name), "pipe": None, "pipe_rows": PipeRows.ONE, "routes": None}
            )
            for name in names
        }


class PatternConfig(EngineOptions):
    """Every stream of the account and region whose name matches, those of later too, each like a pipeline of its own."""

    streams: NamePattern
    """A regular expression of whole names. No stream may match two patterns; one that a pipeline names is that pipeline's."""
    exclude: list[str] = Field(default=[])
    """Names that match, and are not read."""

    @model_validator(mode="after")
    def _can_be_applied(self) -> Self:
        check_template(self.table or "", self.streams)
        self.refuse_files_of_other_columns()
        if isinstance(self.reader, FanOutReader):
            raise ValueError("reader: a consumer belongs to one stream; what a pattern finds is polled")
        return self

    def pipeline_of(self, stream: str) -> PipelineConfig | None:
        """Returns None if the stream does not match."""
        groups = groups_of(self, stream)
        if groups is None:
            return None
        options = {name: getattr(self, name) for name in EngineOptions.model_fields}
        table = expanded(self.table, groups) if self.table else None
        return PipelineConfig.model_construct(**{**options, "stream": stream, "table": table})


class LedgerConfig(Section):
    """The DynamoDB table that fences shards and remembers where they are."""

    table: str
    """One application's alone."""
    create: bool = False
    """Let the engine create the table where infrastructure does not."""


class DeadLettersConfig(Section):
    """The one place that keeps records which can't be ingested."""

    folder: Path | None = Field(default=None, strict=False)
    """A folder of the machine that the whole engine runs on; refused unless `spark.master` is local."""
    s3: Annotated[str, S3_FOLDER] | None = None
    """A folder of a bucket, for engines whose machines come and go."""
    kms_key_arn: str | None = None
    """The KMS key that objects are encrypted with; the bucket's own default by default."""
    stream: Annotated[str, STREAM] | None = None
    """A Kinesis stream, for programs that process dead letters as they come. It keeps them as long as its retention."""

    @model_validator(mode="after")
    def _exactly_one_place(self) -> Self:
        if sum(place is not None for place in (self.folder, self.s3, self.stream)) != 1:
            raise ValueError("give exactly one of folder, s3, stream")
        if self.kms_key_arn is not None and self.s3 is None:
            raise ValueError("kms_key_arn belongs to s3: a stream has a key of its own")
        return self


class SparkConfig(Section):
    """Settings that the driver needs of its cluster."""

    checkpoint: str
    """The streaming checkpoint: a folder, or an s3:// URL."""
    master: str | None = None
    """Only where no spark-submit sets it, for example local[2]; tasks are tried eight times there too (local[2,8])."""
    conf: dict[str, str] = Field(default={})
    """Spark's own settings, as spark-defaults.conf has them; handed over as they are."""


class EngineConfig(RunOptions):
    """Everything the engine needs to run."""

    version: Literal[1]
    """Of this form of the document."""
    application: Annotated[str, APPLICATION]
    """Names this engine: part of every channel's name, so it can't change once records have flowed."""
    aws: AwsConfig
    ledger: LedgerConfig
    snowflake: SnowflakeConfig
    pipelines: list[PipelineConfig] = Field(default=[])
    patterns: list[PatternConfig] = Field(default=[])
    """Streams by their names' patterns, looked for with ListStreams while the engine runs (docs/many-streams.md)."""
    list_streams_seconds: float = Field(default=60.0, ge=10, le=3600)
    """Between two looks for streams that match a pattern; all of an account share five listings a second."""
    dead_letters: DeadLettersConfig
    spark: SparkConfig
    metrics: MetricsConfig = MetricsConfig.default()

    @model_validator(mode="after")
    def _streams_are_distinct(self) -> Self:
        names = [pipeline.stream for pipeline in self.pipelines]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"each stream belongs to one pipeline; named twice: {', '.join(twice)}")
        return self

    @model_validator(mode="after")
    def _streams_are_named_or_found(self) -> Self:
        if not self.pipelines and not self.patterns:
            raise ValueError("name a stream in pipelines, or the pattern of several in patterns")
        for one, other, name in literal_overlaps(self.patterns):
            raise ValueError(f"patterns: {one.streams!r} and {other.streams!r} overlap: both match {name!r}")
        return self

    @model_validator(mode="after")
    def _letters_do_not_come_back(self) -> Self:
        if self.dead_letters.stream is not None and self.find_pipeline(self.dead_letters.stream) is not None:
            raise ValueError(
                f"dead_letters.stream: {self.dead_letters.stream} is read by a pipeline; name another stream"
            )
        return self

    @model_validator(mode="after")
    def _files_are_made_of_what_is_kept(self) -> Self:
        if self.dead_letters.stream is not None and self.goes_by_file:
            raise ValueError(
                "dead_letters.stream: oversize_rows: file needs dead letters in a folder or a bucket, which keeps beside them "
                "what was replayed; name one, or remove oversize_rows"
            )
        return self

    @property
    def goes_by_file(self) -> bool:
        """True if the engine itself replays dead letters of any pipeline by file."""
        return any(each.goes_by_file for each in (*self.pipelines, *self.patterns))

    def pipeline_of(self, stream: str) -> PipelineConfig:
        """The pipeline of a stream that is read."""
        found = self.find_pipeline(stream)
        assert found is not None, f"{stream} belongs to no pipeline"
        return found

    def find_pipeline(self, stream: str) -> PipelineConfig | None:
        """The one that names the stream, or that a pattern makes of it; None where nothing does."""
        named = (pipeline for pipeline in self.pipelines if pipeline.stream == stream)
        made = (pattern.pipeline_of(stream) for pattern in that_match(self.patterns, stream))
        return next(named, None) or next(made, None)

    def access_of(self, stream: str) -> Access:
        """The access of the stream's pipeline; the engine's own for a stream that no pipeline names."""
        return next((pipeline.access for pipeline in self.pipelines if pipeline.stream == stream), HERE)

    def logged_in_for(self, pipeline: PipelineConfig) -> Self:
        """The configuration as the pipeline's own service user has it; itself where the pipeline has none."""
        if pipeline.login is None:
            return self
        snowflake = self.snowflake.model_copy(update=dict(pipeline.login))
        return self.model_copy(update={"snowflake": snowflake})

    @property
    def logins(self) -> tuple[ServiceLogin, ...]:
        """The engine's own, and those of pipelines and patterns; each once."""
        own = (each.login for each in (*self.pipelines, *self.patterns) if each.login is not None)
        return tuple(dict.fromkeys((self.snowflake, *own)))

    @property
    def subscribes(self) -> bool:
        """True if any pipeline reads by fan-out."""
        return any(isinstance(pipeline.reader, FanOutReader) for pipeline in self.pipelines)

    @property
    def content_hash(self) -> str:
        """A hash of what differs from the defaults: an option that says nothing new, or that came later, does not change it."""
        return hashlib.sha256(self.hashed_text.encode()).hexdigest()[:16]

    @property
    def hashed_text(self) -> str:
        return json.dumps(self.changed(), sort_keys=True)
