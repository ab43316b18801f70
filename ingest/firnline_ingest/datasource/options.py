"""The options of `format("kinesis")`, as Spark hands them over: text by name, whatever the case of the name."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import ConfigError
from firnline_ingest.values import moment

SOURCE = 'format("kinesis")'
TRIM_HORIZON, LATEST = "trim_horizon", "latest"
MOST_RECORDS = 100_000
MOST_SECONDS = 30.0
METADATA = "metadata."
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
REPLAYABLE = "replayable"
"""What is written from a DataFrame that `replayable()` returned has it, whatever the format."""
ARN = re.compile(r"arn:\S+")
OF_SPARK = {"checkpointlocation", "path", "queryname"}
"""Spark hands its own options of a writer over, too."""
RAW_COLUMNS = ("data", "partition_key", "sequence_number", "sub_sequence_number", "arrival", "shard_id", "stream")


class Mode(StrEnum):
    """The modes that the readers of Spark have."""

    PERMISSIVE = "PERMISSIVE"
    """A row of nulls, with its metadata, and with the record in `_corrupt_record` where the schema has that column."""
    DROPMALFORMED = "DROPMALFORMED"
    """No row."""
    FAILFAST = "FAILFAST"
    """The query stops."""


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """The options of one read or write. Nothing secret is in it: options show in plans, and in Spark's logs."""

    stream: str
    region: str
    endpoint: str | None = None
    """A URL of Kinesis, for private endpoints and emulators."""
    s3_endpoint: str | None = None
    """A URL of S3, where `metadata_path` is in S3."""
    profile: str | None = None
    """A named profile of the machine's AWS configuration, on the driver and on every executor."""
    role_arn: str | None = None
    """A role that is assumed."""
    external_id: str | None = None
    ca_file: str | None = None
    """A PEM file of certificate authorities to trust."""
    starting_position: str = TRIM_HORIZON
    """trim_horizon, latest, or a time in ISO 8601 with an offset."""
    ending_position: str | None = None
    """Batch reads: a time; the time of planning by default."""
    consumer_arn: str | None = None
    """A registered consumer of the stream: reads by fan-out. Polls by default."""
    consumer_name: str | None = None
    """The same by its name, which is looked up with each batch."""
    max_records_per_shard: int = MOST_RECORDS
    """Of a batch, about: a page is never cut."""
    max_seconds_per_shard: float = MOST_SECONDS
    """How long a batch reads a shard that never comes to its tip."""
    metadata_path: str | None = None
    """Streaming reads: where batches keep the positions at which they ended; a folder that driver and executors share, or
    s3://BUCKET/FOLDER/."""
    fail_on_data_loss: bool = True
    format: str | None = None
    """Fills the columns of a schema of one's own: the name of one of the engine's formats, or the JSON of its section."""
    partition_by: tuple[str, ...] = ()
    """Writes: the columns whose values, joined, are a record's partition key, where it has no column `partition_key`."""
    partition_delimiter: str = "|"
    """Writes: what stands between them."""
    delimiter: str = ","
    """Writes as csv: what stands between two fields."""
    ordered: bool = False
    """Writes: whether the records of a partition key come in the order of a task's rows; few keys are slow."""
    mode: Mode = Mode.PERMISSIVE
    """What becomes of a record that the format can't read, or whose values do not fit the schema."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """`metadata.COLUMN`: the column of the raw schema that fills this one. Names of columns in lower case."""

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> Self:
        """Raises ConfigError with every problem."""
        metadata = {name: text for name, text in options.items() if name.lower().startswith(METADATA)}
        plain = {
            name: text
            for name, text in options.items()
            if name not in metadata and name.lower() not in {*OF_SPARK, REPLAYABLE}
        }
        problems = [
            f"{name}: must be one of {', '.join(RAW_COLUMNS)}, and is {text!r}"
            for name, text in metadata.items()
            if text not in RAW_COLUMNS
        ]
        found, wrong = read_options(plain, [each.name for each in fields(cls) if each.name != "metadata"], READ)
        found["metadata"] = {name.lower().removeprefix(METADATA): text for name, text in metadata.items()}
        problems += wrong
        problems += [f"{name}: is required" for name in ("stream", "region") if not found.get(name)]
        if found.get("consumer_arn") and found.get("consumer_name"):
            problems.append("give one of consumerArn and consumerName")
        if problems:
            raise ConfigError(SOURCE, problems)
        made = cls(**found)
        made.aws  # noqa: B018 (raises for what is not valid)
        return made

    def check_stream(self) -> None:
        """Raises ConfigError for what only a streaming read needs."""
        if not self.metadata_path:
            raise ConfigError(
                SOURCE,
                [
                    "metadataPath: is required for a stream: a folder that driver and executors share, or s3://BUCKET/FOLDER/; "
                    "one folder can serve many queries"
                ],
            )

    def check_batch(self) -> None:
        """Raises ConfigError for a window that holds nothing."""
        end = moment(self.ending_position) if self.ending_position else None
        if self.starting_position == LATEST:
            raise ConfigError(
                SOURCE, ["startingPosition: latest leaves nothing to a batch read; name a time, or trim_horizon"]
            )
        if end and self.starts_at and end < self.starts_at:
            raise ConfigError(SOURCE, ["endingPosition: must not be before startingPosition"])

    @property
    def aws(self) -> AwsConfig:
        """Raises ConfigError."""
        roles = [{"arn": self.role_arn, **({"external_id": self.external_id} if self.external_id else {})}]
        credentials = {
            "profile": {"name": self.profile} if self.profile else None,
            "roles": roles if self.role_arn else [],
        }
        endpoints = {"kinesis": self.endpoint, "s3": self.s3_endpoint}
        document = {
            "region": self.region,
            "endpoints": {name: url for name, url in endpoints.items() if url},
            "credentials": {name: value for name, value in credentials.items() if value},
            **({"ca_file": self.ca_file} if self.ca_file else {}),
        }
        try:
            return AwsConfig.model_validate(document)
        except ValidationError as error:
            problems = [
                f"{_where(each['loc'])}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors()
            ]
            raise ConfigError(SOURCE, problems) from None

    @property
    def is_in_s3(self) -> bool:
        return (self.metadata_path or "").startswith("s3://")

    @property
    def starts_at(self) -> datetime | None:
        """The time of `starting_position`; None for a name."""
        return None if self.starting_position in (TRIM_HORIZON, LATEST) else moment(self.starting_position)


def read_options(
    options: Mapping[str, str], names: Sequence[str], read: Mapping[str, Callable[[str], Any]]
) -> tuple[dict[str, Any], list[str]]:
    """Returns the values by the names of their fields, and what is wrong with the others; `read` raises ValueError."""
    problems: list[str] = []
    found: dict[str, Any] = {}
    by_option = {spark_name(name).lower(): name for name in names}
    for option, text in options.items():
        name = by_option.get(option.lower())
        if name is None:
            known = ", ".join(sorted(map(spark_name, names)))
            problems.append(f"{option}: unknown option; choose from {known}")
            continue
        try:
            found[name] = read.get(name, str)(text)
        except ValueError as error:
            problems.append(f"{spark_name(name)}: {error}")
    return found, problems


def spark_name(field: str) -> str:
    """The name of an option, as Spark writes options: stream_name is streamName."""
    first, *rest = field.split("_")
    return first + "".join(part.title() for part in rest)


def _where(location: tuple[Any, ...]) -> str:
    return ".".join(map(str, location))


def _position(text: str) -> str:
    if text.lower() in (TRIM_HORIZON, LATEST):
        return text.lower()
    try:
        moment(text)
    except ValueError as error:
        raise ValueError(f"must be {TRIM_HORIZON}, {LATEST} or a time: {error}") from None
    return text


def _time(text: str) -> str:
    moment(text)
    return text


def true_or_false(text: str) -> bool:
    """Raises ValueError."""
    if text.lower() not in ("true", "false"):
        raise ValueError(f"must be true or false, and is {text!r}")
    return text.lower() == "true"


def _positive(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        number = kind(text)
        if not number > 0:
            raise ValueError(f"must be more than 0, and is {text}")
        return number

    return read


def _delimiter(text: str) -> str:
    if len(text) != 1 or text in '"\r\n\0':
        raise ValueError(f"must be one character, and neither a quote nor a line break, and is {text!r}")
    return text


def _mode(text: str) -> Mode:
    try:
        return Mode(text.upper())
    except ValueError:
        raise ValueError(f"must be one of {', '.join(Mode)}, and is {text!r}") from None


def folder_or_bucket(text: str) -> str:
    """Raises ValueError."""
    if SCHEME.match(text) and not text.startswith("s3://"):
        raise ValueError(f"must be a folder or s3://BUCKET/FOLDER/, and is {text}")
    return text if text.startswith("s3://") else str(Path(text).absolute())


def _arn(text: str) -> str:
    if text and not ARN.fullmatch(text):
        raise ValueError(f"must be the ARN of a consumer, and is {text!r}")
    return text


READ: Mapping[str, Callable[[str], Any]] = {
    "consumer_arn": _arn,
    "delimiter": _delimiter,
    "starting_position": _position,
    "ending_position": _time,
    "max_records_per_shard": _positive(int),
    "max_seconds_per_shard": _positive(float),
    "fail_on_data_loss": true_or_false,
    "metadata_path": folder_or_bucket,
    "mode": _mode,
    "ordered": true_or_false,
    "partition_by": lambda text: tuple(name.strip() for name in text.split(",") if name.strip()),
}
"""How the text of an option is read; others stay text. Each raises ValueError."""
