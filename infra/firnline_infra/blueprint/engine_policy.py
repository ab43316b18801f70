"""What the engine may do in AWS, from the environment's specification."""

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import Origin, Stream
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

CHECKPOINT_FOLDER, JOB_FOLDER = "checkpoint/", "engine/"
"""Of the environment's bucket: Spark's checkpoint, and what a job is started with."""


def engine_policy(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> tuple[PolicyStatement, ...]:
    """Exactly what `firnline_ingest.permissions` declares for the features that the specification switches on."""
    arns, has_bucket = Arns(spec), spec.aws.bucket.origin is not Origin.SKIP
    return engine_statements(
        EngineAccess(
            region=spec.aws.region,
            streams={stream.name: arns.stream(stream.name) for stream in _read(spec)},
            stream_keys=_stream_keys(spec, key_arn),
            ledger_table=arns.table(names.ledger_table),
            ledger_name=names.ledger_table,
            ledger_key=key_arn,
            secret=spec.snowflake.ingest.secret_arn or Reference("secret/ingest"),
            secret_key=spec.aws.key.arn,
            bucket=arns.bucket(names.bucket) if has_bucket else None,
            checkpoint_folder=CHECKPOINT_FOLDER if has_bucket else None,
            job_folder=JOB_FOLDER if has_bucket else None,
            bucket_key=key_arn if has_bucket else None,
        )
    )


def _stream_keys(spec: EnvironmentSpec, key_arn: Value | None) -> tuple[Value, ...]:
    """An adopted stream has its own key, or one of AWS that needs no permission."""
    keys = [key_arn if stream.origin is Origin.CREATE else stream.key_arn for stream in _read(spec)]
    return tuple(dict.fromkeys(key for key in keys if key is not None))


def _read(spec: EnvironmentSpec) -> list[Stream]:
    """A stream without a pipeline is other people's to read."""
    wanted = {pipeline.stream for pipeline in spec.pipelines}
    return [stream for stream in spec.streams if stream.name in wanted]
