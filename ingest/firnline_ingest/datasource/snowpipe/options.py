"""The options of `format("snowpipe")`, as Spark hands them over, and the engine's configuration that they stand for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from firnline_ingest.config.rows import Tolerance
from firnline_ingest.datasource.options import OF_SPARK, folder_or_bucket, read_options, spark_name, true_or_false
from firnline_ingest.errors import ConfigError

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig, PipelineConfig

SINK = 'format("snowpipe")'
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
QUERY_NAME = "queryname"
KEYS = ("private_key_file", "private_key_env", "private_key_secret")
REQUIRED = ("account", "user", "role", "database", "schema", "table")
BUCKET = "s3://"
NO_REGION = "us-east-1"
"""Of an AWS that is not asked for anything."""


@dataclass(frozen=True, kw_only=True)
class SnowpipeOptions:
    """The options of one write. Nothing secret is in it: options show in plans, and in Spark's logs."""

    account: str
    """As in the URL: ORGANISATION-ACCOUNT."""
    user: str
    """A service user with a key."""
    role: str
    database: str
    schema: str
    table: str
    name: str
    """The query's: part of its channels' names, so that a table can have several queries; `queryName` by default."""
    pipe: str | None = None
    """A pipe of one's own; the table's default pipe by default."""
    private_key_file: str | None = None
    """A PEM file, on the driver and on every executor."""
    private_key_env: str | None = None
    """The name of an environment variable with the PEM text, on the driver and on every executor."""
    private_key_secret: str | None = None
    """The ARN of a secret in Secrets Manager whose text is the PEM."""
    tolerance: Tolerance = Tolerance.NONE
    """Of rows that the table rejects: `none` stops the query, `all` leaves them in the error table."""
    replayable: bool = False
    """True if `replayable()` has looked at the plan; its DataFrame sets it."""
    unchecked: bool = False
    """True if a stream starts though nobody has looked at its plan: at least once, where a batch has other rows the next time."""
    dead_letters: str | None = None
    """Rows that no channel takes: a folder that all executors share, or s3://BUCKET/FOLDER/; they stop the query where absent."""
    region: str | None = None
    """The region of the bucket of `dead_letters`; that of the key's secret where absent."""
    s3_endpoint: str | None = None
    """A URL of S3, for private endpoints and emulators."""
    url: str | None = None
    """For private connectivity."""
    ca_file: str | None = None
    """A PEM file of certificate authorities to trust."""

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> Self:
        """Raises ConfigError with every problem."""
        lowered = {name.lower(): text for name, text in options.items()}
        own = {name: text for name, text in options.items() if name.lower() not in OF_SPARK}
        if "name" not in lowered and lowered.get(QUERY_NAME):
            own["name"] = lowered[QUERY_NAME]
        found, problems = read_options(own, [each.name for each in fields(cls)], READ)
        named = {problem.partition(":")[0] for problem in problems}
        problems += [f"{each}: is required" for each in REQUIRED if not found.get(each) and each not in named]
        if not found.get("name") and "name" not in named:
            problems.append(
                "name: is required, or a queryName: its channels are named by it, and a restart finds them again"
            )
        if sum(1 for each in KEYS if found.get(each)) != 1:
            problems.append(f"give exactly one of {', '.join(map(spark_name, KEYS))}")
        if problems:
            raise ConfigError(SINK, problems)
        made = cls(**found)
        made.letters_config  # noqa: B018 (raises for what is not valid)
        return made

    @property
    def config(self) -> "EngineConfig":
        """Raises ConfigError."""
        return self._config(None)

    @property
    def letters_config(self) -> "EngineConfig":
        """The configuration by which dead letters are kept: their bucket may be elsewhere. Raises ConfigError."""
        return self._config(self.region)

    def _config(self, region: str | None) -> "EngineConfig":
        from pydantic import ValidationError

        from firnline_ingest.config.model import EngineConfig
        from firnline_ingest.config.problems import described

        key = {"file": self.private_key_file, "env": self.private_key_env, "secret_arn": self.private_key_secret}
        parts = (self.private_key_secret or "").split(":")
        login = {
            "account": self.account,
            "user": self.user,
            "role": self.role,
            "url": self.url,
            "ca_file": self.ca_file,
        }
        pipeline = {
            "stream": self.name,
            "database": self.database,
            "schema": self.schema,
            "table": self.table,
            "tolerance": self.tolerance.value,
            "audit": False,
        }
        place = self.dead_letters or "/none"
        document = {
            "version": 1,
            "application": "spark",
            "aws": {
                "region": region or (parts[3] if len(parts) > 3 and parts[3] else NO_REGION),
                "endpoints": {"s3": self.s3_endpoint} if self.s3_endpoint else {},
            },
            "ledger": {"table": "none"},
            "snowflake": {
                **{name: text for name, text in login.items() if text},
                "private_key": {name: text for name, text in key.items() if text},
            },
            "pipelines": [pipeline | ({"pipe": self.pipe} if self.pipe else {})],
            "dead_letters": {"s3" if place.startswith(BUCKET) else "folder": place},
            "spark": {"checkpoint": "/none"},
        }
        try:
            return EngineConfig.model_validate(document)
        except ValidationError as error:
            problems = described(EngineConfig, error, document)
            raise ConfigError(SINK, [each.replace("dead_letters.s3:", "deadLetters:") for each in problems]) from None

    @property
    def pipeline(self) -> "PipelineConfig":
        return self.config.pipelines[0]


def _name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise ValueError(f"must be 1 to 64 letters, digits, - and _, and is {text!r}")
    return text


def _tolerance(text: str) -> Tolerance:
    try:
        return Tolerance(text.lower())
    except ValueError:
        raise ValueError(f"must be one of {', '.join(Tolerance)}, and is {text!r}") from None


def _letters(text: str) -> str:
    place = folder_or_bucket(text)
    return f"{place.rstrip('/')}/" if place.startswith(BUCKET) else place


READ: Mapping[str, Callable[[str], Any]] = {
    "dead_letters": _letters,
    "name": _name,
    "replayable": true_or_false,
    "tolerance": _tolerance,
    "unchecked": true_or_false,
}
"""How the text of an option is read; others stay text. Each raises ValueError."""
