"""The registries of an engine's formats, for the threads of one process: each is made when a record first needs it."""

import threading
from functools import partial
from uuid import UUID

from firnline_ingest.config.format import Format, RegisteredSchema, Schemas
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.schemas.known import KnownSchemas


class SchemaRegistries:
    """Registries as a RowMaker knows them. Pipelines that ask the same one share what is known of it. Thread-safe."""

    def __init__(self, aws: AwsConfig) -> None:
        self._aws = aws
        self._lock = threading.Lock()
        self._made: dict[str, Schemas] = {}

    def __call__(self, of: Format) -> Schemas:
        registry = of.confluent_registry
        key = registry.model_dump_json() if registry else ""
        with self._lock:
            if key not in self._made:
                self._made[key] = KnownSchemas(_Late(self._aws, registry))
            return self._made[key]


class _Late:
    """Neither a client nor a secret is had before a record needs a schema."""

    def __init__(self, aws: AwsConfig, registry: ConfluentRegistry | None) -> None:
        self._aws, self._registry = aws, registry
        self._schemas: Schemas | None = None

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        if self._schemas is None:
            self._schemas = _confluent(self._aws, self._registry) if self._registry else _glue(self._aws)
        return self._schemas(schema_id)


def _confluent(aws: AwsConfig, registry: ConfluentRegistry) -> Schemas:
    from firnline_ingest.aws.secrets import read_secret
    from firnline_ingest.schemas.confluent import ConfluentSchemas
    from firnline_ingest.schemas.login import BasicLogin

    return ConfluentSchemas(registry, BasicLogin(registry, partial(read_secret, aws, holds="the login for it")))


def _glue(aws: AwsConfig) -> Schemas:
    from firnline_ingest.aws.client import aws_client
    from firnline_ingest.schemas.glue import GlueSchemas

    return GlueSchemas(aws_client(aws, "glue", attempts=3, read_timeout_s=5), aws.region)
