"""The engine's policy in AWS: exactly what its features need."""

from collections.abc import Collection, Iterator

from firnline_infra.blueprint.bucket_layout import (
    CHECKPOINT_FOLDER,
    JOB_FOLDERS,
    LETTERS_FOLDER,
    folder,
    has_bucket,
    log_folder,
)
from firnline_infra.blueprint.engine_config import consumer_of, secret_of
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.cross_account import cross_account_statements
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.blueprint.iam.extra import extra_statements
from firnline_infra.blueprint.iam.runtime import runtime_statements
from firnline_infra.blueprint.registries import login_keys, login_secrets, uses_glue
from firnline_infra.blueprint.storage import secrets_key
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.origin import Origin
from firnline_ingest.config.patterns import wildcard


def engine_policy(environment: Environment, key_arn: Value | None) -> tuple[PolicyStatement, ...]:
    """Exactly what `firnline_ingest.permissions` declares for the features that the specification switches on, what its
    runtime needs, and what the specification adds."""
    arns, uses_bucket = environment.arns, has_bucket(environment)
    letters, registered = environment.dead_letters, _registered(environment)
    own = {
        each.name: each.arn
        for each in environment.sources
        if each.is_opened_by_engines_policy and not each.is_elsewhere
    }
    of_engine = engine_statements(
        EngineAccess(
            region=environment.aws.region,
            streams=own,
            patterns={name: arns.stream(name) for name in _wildcards(environment)},
            others=tuple(pipeline.stream for pipeline in environment.pipelines if pipeline.stream not in own),
            polls=any(pipeline.reader == "polling" for pipeline in environment.pipelines),
            consumers=(*_consumers(environment), *registered.values()),
            registering=tuple(arns.stream(stream) for stream in registered),
            registered=tuple(registered.values()),
            stream_keys=_stream_keys(environment, own, key_arn),
            ledger_table=arns.table(environment.names.ledger_table),
            ledger_name=environment.names.ledger_table,
            ledger_key=key_arn,
            secrets=(*_private_keys(environment), *environment.access_key_secrets),
            secret_key=secrets_key(environment),
            asks_glue=uses_glue(environment),
            registry_logins=login_secrets(environment),
            registry_login_keys=login_keys(environment),
            bucket=arns.bucket(environment.names.bucket) if uses_bucket else None,
            checkpoint_folder=folder(environment, CHECKPOINT_FOLDER) if uses_bucket else None,
            job_folders=tuple(folder(environment, each) for each in JOB_FOLDERS) if uses_bucket else (),
            letters_folder=folder(environment, LETTERS_FOLDER) if uses_bucket and letters == DeadLetters() else None,
            reads_letters=any(pipeline.goes_by_file for pipeline in environment.pipelines),
            log_folder=log_folder(environment),
            letters_stream=arns.stream(letters.stream) if letters.stream else None,
            letters_stream_key=next(iter(_stream_keys(environment, [letters.stream], key_arn)), None),
            bucket_key=key_arn if uses_bucket else None,
        )
    )
    return (
        *of_engine,
        *cross_account_statements(environment),
        *runtime_statements(environment),
        *extra_statements(environment),
    )


def _private_keys(environment: Environment) -> Iterator[Value]:
    """The secrets that hold them."""
    return (secret_of(each) for each in environment.users if each.writes and each.has_secret)


def _consumers(environment: Environment) -> tuple[Value, ...]:
    """The consumers that exist before the engine starts."""
    found = map(consumer_of, environment.pipelines)
    return tuple(consumer for consumer in found if consumer is not None)


def _registered(environment: Environment) -> dict[str, str]:
    """The ARN of the consumer that the engine registers to read each stream, by stream."""
    return {
        pipeline.stream: environment.arns.consumer(pipeline.stream, name)
        for pipeline in environment.pipelines
        if pipeline.reader != "polling"
        if (name := pipeline.reader.fan_out.registered_as(environment.names.application)) is not None
    }


def _wildcards(environment: Environment) -> list[str]:
    """The wildcards that stand for the streams that patterns find."""
    return [wildcard(pipeline.stream_pattern) for pipeline in environment.pipelines if pipeline.stream_pattern]


def _stream_keys(environment: Environment, names: Collection[str | None], key_arn: Value | None) -> tuple[Value, ...]:
    """The keys of the named streams. An adopted one has its own key, or one of AWS that needs no permission."""
    streams = [stream for stream in environment.streams if stream.name in names]
    keys = [key_arn if stream.origin is Origin.CREATE else stream.key_arn for stream in streams]
    return tuple(dict.fromkeys(key for key in keys if key is not None))
