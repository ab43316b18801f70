"""The engine's configuration, from the specification and from what only exists once an environment was made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firnline_infra.spec.model import EnvironmentSpec, Pipeline
from firnline_infra.spec.names import Names, table_of
from firnline_ingest.config.document import Section


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What an environment knows of itself after it was made; nothing secret, only where a secret is found."""

    private_key: Mapping[str, str]
    """Exactly one of file, env, secret_arn (the engine's `snowflake.private_key`)."""
    dead_letters_folder: str
    spark_checkpoint: str
    aws_endpoints: Mapping[str, str] = field(default_factory=dict)
    """A URL per service; the public endpoints where empty."""
    snowflake_url: str | None = None
    """The account's public URL where absent."""
    snowflake_ca_file: str | None = None
    spark_master: str | None = None
    spark_conf: Mapping[str, str] = field(default_factory=dict)


def engine_config(spec: EnvironmentSpec, outputs: Outputs) -> dict[str, Any]:
    """A document that `firnline_ingest.config` reads; what is absent in it keeps the engine's default."""
    names = Names.of(spec)
    return {
        "version": 1,
        "application": names.application,
        "aws": {"region": spec.aws.region, "endpoints": dict(outputs.aws_endpoints)},
        "ledger": {"table": names.ledger_table},
        "snowflake": _present(
            account=spec.snowflake.account,
            user=str(names.ingest.user),
            role=str(names.ingest.role),
            private_key=dict(outputs.private_key),
            url=outputs.snowflake_url,
            ca_file=outputs.snowflake_ca_file,
        ),
        "pipelines": [_pipeline(pipeline) for pipeline in spec.pipelines],
        "dead_letters": {"folder": outputs.dead_letters_folder},
        "spark": _present(
            checkpoint=outputs.spark_checkpoint, master=outputs.spark_master, conf=dict(outputs.spark_conf)
        ),
        **_changed(epoch=spec.epoch, polling=spec.polling),
    }


def _pipeline(pipeline: Pipeline) -> dict[str, Any]:
    return {
        "stream": pipeline.stream,
        "database": pipeline.database,
        "schema": pipeline.schema_,
        "table": str(table_of(pipeline).parts[-1]),
        "initial_position": pipeline.initial_position.model_dump(mode="json", exclude_none=True),
        "tolerance": pipeline.tolerance.value,
        **_changed(metadata=pipeline.metadata),
    }


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _changed(**sections: Section) -> dict[str, Any]:
    """The sections that the engine takes as they are, where they differ from its defaults."""
    values = {name: section.model_dump(mode="json", exclude_defaults=True) for name, section in sections.items()}
    return {name: value for name, value in values.items() if value}
