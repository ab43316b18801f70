"""What the engine is in AWS, a role or a user with static keys, and what it may do there: exactly what its features need."""

from collections.abc import Collection
from dataclasses import dataclass

from firnline_infra.blueprint.aws import Role, User
from firnline_infra.blueprint.bucket_layout import (
    CHECKPOINT_FOLDER,
    JOB_FOLDERS,
    LETTERS_FOLDER,
    folder,
    has_bucket,
    log_folder,
)
from firnline_infra.blueprint.engine_config import consumer_of
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.cross_account import cross_account_statements
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.blueprint.iam.extra import extra_statements
from firnline_infra.blueprint.iam.length import check_policy_length
from firnline_infra.blueprint.iam.runtime import runtime_statements
from firnline_infra.blueprint.iam.trust import trust
from firnline_infra.blueprint.registries import login_keys, login_secrets, uses_glue
from firnline_infra.blueprint.storage import secrets_key
from firnline_infra.blueprint.tags import tags
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.elsewhere import is_elsewhere, with_own_rights
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Trust
from firnline_ingest.config.patterns import literal_beginning
from firnline_ingest.errors import ConfigError


def engine_policy(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> tuple[PolicyStatement, ...]:
    """Exactly what `firnline_ingest.permissions` declares for the features that the specification switches on, what its
    runtime needs, and what the specification adds."""
    arns, uses_bucket = Arns(spec), has_bucket(spec)
    letters, registered = spec.dead_letters, _registered(spec, names)
    own = {stream.name: stream for stream in with_own_rights(spec) if not is_elsewhere(spec, stream)}
    of_engine = engine_statements(
        EngineAccess(
            region=spec.aws.region,
            streams={name: arns.stream(name) for name in own},
            patterns={f"{name}*": arns.stream(f"{name}*") for name in _beginnings(spec)},
            others=tuple(pipeline.stream for pipeline in spec.pipelines if pipeline.stream not in own),
            polls=any(pipeline.reader == "polling" for pipeline in spec.pipelines),
            consumers=(*_consumers(spec), *registered.values()),
            registering=tuple(arns.stream(stream) for stream in registered),
            registered=tuple(registered.values()),
            stream_keys=_stream_keys(spec, own, key_arn),
            ledger_table=arns.table(names.ledger_table),
            ledger_name=names.ledger_table,
            ledger_key=key_arn,
            secret=spec.snowflake.ingest.secret_arn or Reference("secret/ingest"),
            secret_key=secrets_key(spec),
            asks_glue=uses_glue(spec),
            registry_logins=login_secrets(spec),
            registry_login_keys=login_keys(spec),
            bucket=arns.bucket(names.bucket) if uses_bucket else None,
            checkpoint_folder=folder(spec, CHECKPOINT_FOLDER) if uses_bucket else None,
            job_folders=tuple(folder(spec, each) for each in JOB_FOLDERS) if uses_bucket else (),
            letters_folder=folder(spec, LETTERS_FOLDER) if uses_bucket and letters == DeadLetters() else None,
            log_folder=log_folder(spec),
            letters_stream=arns.stream(letters.stream) if letters.stream else None,
            letters_stream_key=next(iter(_stream_keys(spec, [letters.stream], key_arn)), None),
            bucket_key=key_arn if uses_bucket else None,
        )
    )
    return (*of_engine, *cross_account_statements(spec), *runtime_statements(spec), *extra_statements(spec))


def _consumers(spec: EnvironmentSpec) -> tuple[Value, ...]:
    """Those that are there before the engine starts."""
    found = map(consumer_of, spec.pipelines)
    return tuple(consumer for consumer in found if consumer is not None)


def _registered(spec: EnvironmentSpec, names: Names) -> dict[str, str]:
    """By stream, the ARN of the consumer that the engine registers to read it."""
    return {
        pipeline.stream: Arns(spec).consumer(pipeline.stream, name)
        for pipeline in spec.pipelines
        if pipeline.reader != "polling"
        if (name := pipeline.reader.fan_out.registered_as(names.application)) is not None
    }


def _beginnings(spec: EnvironmentSpec) -> list[str]:
    """Of the names of streams that patterns find."""
    return [literal_beginning(pipeline.also) for pipeline in spec.pipelines if pipeline.also]


def _stream_keys(spec: EnvironmentSpec, names: Collection[str | None], key_arn: Value | None) -> tuple[Value, ...]:
    """Of the named streams. An adopted one has its own key, or one of AWS that needs no permission."""
    streams = [stream for stream in spec.streams if stream.name in names]
    keys = [key_arn if stream.origin is Origin.CREATE else stream.key_arn for stream in streams]
    return tuple(dict.fromkeys(key for key in keys if key is not None))


def engine_role(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> Role | None:
    """Raises ConfigError for a policy that is longer than IAM takes."""
    if spec.aws.runtime.trust in (Trust.NOBODY, Trust.STATIC_KEYS) or spec.aws.runtime.role_arn is not None:
        return None
    statements = engine_policy(spec, names, key_arn)
    check_policy_length(statements, kind="role", name=names.engine_role, source=spec.name)
    return Role(
        name=names.engine_role,
        trust=trust(spec.aws.runtime, partition=spec.aws.partition, account=spec.aws.account, role=names.engine_role),
        statements=statements,
        description=f"Firnline's engine, environment {spec.name}",
        permissions_boundary=spec.aws.permissions_boundary,
        tags=tags(spec, component="engine"),
    )


@dataclass(frozen=True, kw_only=True)
class AdoptedRole:
    """The role of somebody else that the engine runs as, and what its owner has to give it."""

    arn: str
    trust: tuple[PolicyStatement, ...]
    statements: tuple[PolicyStatement, ...]


def adopted_role(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> AdoptedRole | None:
    """Raises ConfigError for a policy that is longer than IAM takes."""
    runtime = spec.aws.runtime
    if runtime.role_arn is None:
        return None
    statements = engine_policy(spec, names, key_arn)
    check_policy_length(statements, kind="role", name=names.engine_role, source=spec.name)
    return AdoptedRole(
        arn=runtime.role_arn,
        trust=trust(runtime, partition=spec.aws.partition, account=spec.aws.account, role=names.engine_role),
        statements=statements,
    )


def engine_user(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> User | None:
    """Raises ConfigError for a policy that is longer than IAM takes, and for a boundary that is that policy."""
    if spec.aws.runtime.trust is not Trust.STATIC_KEYS:
        return None
    statements = engine_policy(spec, names, key_arn)
    check_policy_length(statements, kind="user", name=names.engine_user, source=spec.name)
    user = User(
        name=names.engine_user,
        statements=statements,
        description=f"Firnline's engine, environment {spec.name}",
        permissions_boundary=spec.aws.permissions_boundary,
        tags=tags(spec, component="engine"),
    )
    if user.permissions_boundary == Arns(spec).policy(user.name, path=user.policy_path):
        what = "aws.permissions_boundary: is the engine's own policy, which bounds nobody: its deployer writes it"
        raise ConfigError(spec.name, [f"{what}. Name another one; `firnline bootstrap` writes one."])
    return user
