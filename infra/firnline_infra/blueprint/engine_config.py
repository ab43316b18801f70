"""The engine's configuration, from the specification and from what only exists once an environment was made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firnline_infra.blueprint.engine_policy import CHECKPOINT_FOLDER
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.specification.aws import Origin, Trust
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, table_of
from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.document import Section


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What an environment knows of itself after it was made; nothing secret, only where a secret is found."""

    private_key: Mapping[str, Value]
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


KEY_VARIABLE = "FIRNLINE_PRIVATE_KEY"
"""Of an engine that runs with what its machine has, and no secret of the environment."""
CHECKPOINT_OF_ONE_MACHINE = "/var/lib/firnline/checkpoint"


def outputs_of(spec: EnvironmentSpec) -> Outputs:
    """What the specification says of them; where the secret is found may have to be told by what was made."""
    has_bucket = spec.aws.bucket.origin is not Origin.SKIP
    return Outputs(
        private_key={"env": KEY_VARIABLE} if spec.aws.runtime.trust is Trust.NOBODY else {"secret_arn": _secret(spec)},
        dead_letters_folder=spec.dead_letters_folder,
        spark_checkpoint=f"s3://{Names.of(spec).bucket}/{CHECKPOINT_FOLDER}"
        if has_bucket
        else CHECKPOINT_OF_ONE_MACHINE,
    )


def _secret(spec: EnvironmentSpec) -> Value:
    return spec.snowflake.ingest.secret_arn or Reference("secret/ingest")


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
    return _present(
        stream=pipeline.stream,
        database=pipeline.database,
        schema=pipeline.schema_,
        table=str(table_of(pipeline).parts[-1]),
        pipe=str(Identifier.parse(pipeline.pipe.name)) if pipeline.pipe else None,
        initial_position=pipeline.initial_position.model_dump(mode="json", exclude_none=True),
        tolerance=pipeline.tolerance.value,
        **_changed(metadata=pipeline.metadata),
    )


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _changed(**sections: Section) -> dict[str, Any]:
    """The sections that the engine takes as they are, where they differ from its defaults."""
    values = {name: section.model_dump(mode="json", exclude_defaults=True) for name, section in sections.items()}
    return {name: value for name, value in values.items() if value}
