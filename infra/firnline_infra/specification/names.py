"""The names of everything in an environment that its specification leaves unnamed. No other file makes one up."""

import hashlib
import re
from collections.abc import Mapping
from typing import Self

from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.redshift import StreamView
from firnline_infra.specification.snowflake import ExternalVolume, ServiceUser
from firnline_ingest.identifiers import table_name

NOT_IN_BUCKETS, NOT_IN_IDENTIFIERS = re.compile(r"[\W_]"), re.compile("[^A-Za-z0-9]")
NOT_IN_ALIASES = re.compile("[^A-Za-z0-9_-]")
"""Letters of an application that aliases of KMS may not have (docs.aws.amazon.com/kms/latest/developerguide/alias-create.html,
2026-11-30), nor topics of SNS (API reference, CreateTopic, Name)."""


@part
class Principal(Definition):
    """A Snowflake user and its role."""

    user: Identifier
    role: Identifier


@part
class VolumeNames(Definition):
    """Names in AWS that an external volume needs."""

    bucket: str
    role: str
    external_id: str
    """Ours, so that replacing the volume does not break the trust; no secret."""


@part
class BootstrapNames(Definition):
    """Names of what must exist before the first `up`; `firnline bootstrap` writes it down."""

    state_bucket: str
    """Pulumi's state."""
    state_key_alias: str
    boundary: str
    """The policy that bounds every role that is made."""
    deployer_role: str
    """What CI is when it changes the environment; not among the names that it may change itself."""
    previewer_role: str
    """What CI is when it only looks."""
    keys_policy: str
    """What whoever runs `firnline keys` needs; neither of the two roles has it."""
    letters_policy: str
    """What whoever runs `firnline dead-letters` needs; neither they nor the engine have it."""


@part
class Names(Definition):
    application: str
    ledger_table: str
    key_alias: str
    bucket: str
    engine_role: str
    engine_user: str
    ingest_secret: str
    reader_secret: str
    access_key_secret: str
    """Of the engine's user, where it has one."""
    repository: str
    """Of the engine's images, in ECR."""
    redshift_role: str
    """What Redshift reads streams as."""
    redshift_refresh_role: str
    """What EventBridge Scheduler refreshes views as."""
    alarm_topic: str
    ingest: Principal
    """Of the pipelines that have no user of their own."""
    ingest_of: Mapping[str, Principal]
    """By the stream of the pipeline, of each."""
    reader: Principal
    deploy_role: Identifier
    preview_role: Identifier
    """Sees what there is, and may do nothing else; CI's user for that has the same name."""
    network_policy: Identifier
    authentication_policy: Identifier
    warehouse: Identifier | None
    interactive_warehouse: Identifier | None
    readers: tuple[Identifier, ...]
    """The roles that the reader's is granted to."""

    @classmethod
    def of(cls, spec: EnvironmentSpec) -> Self:
        application = application_of(spec)
        start = _start(spec)
        return cls(
            application=application,
            ledger_table=spec.ledger.table or application,
            key_alias=_without_dots(application),
            bucket=spec.aws.bucket.name or _bucket(spec, application),
            engine_role=_engine_role(spec) or f"{application}-engine",
            engine_user=f"{application}-engine",
            ingest_secret=f"{application}/snowflake/ingest",
            reader_secret=f"{application}/snowflake/reader",
            access_key_secret=f"{application}/aws/engine",
            repository=application.lower(),
            redshift_role=f"{application}-redshift",
            redshift_refresh_role=f"{application}-redshift-refresh",
            alarm_topic=f"{_without_dots(application)}-alarms",
            ingest=(ingest := _principal(spec.snowflake.ingest, f"{start}_INGEST")),
            ingest_of={
                each.stream: ingest
                if each.ingest is None
                else _principal(each.ingest, f"{start}_INGEST_{_plain(each.stream)}")
                for each in spec.pipelines
            },
            reader=_principal(spec.snowflake.reader, f"{start}_READER"),
            deploy_role=Identifier.parse(spec.snowflake.deploy_role or f"{start}_DEPLOY"),
            preview_role=Identifier.parse(spec.snowflake.preview_role or f"{start}_PREVIEW"),
            network_policy=Identifier.parse(spec.snowflake.network_policy.name or f"{start}_NETWORK"),
            authentication_policy=Identifier.parse(spec.snowflake.authentication_policy or f"{start}_KEY_PAIR_ONLY"),
            warehouse=Identifier.parse(warehouse) if (warehouse := spec.snowflake.warehouse) else None,
            interactive_warehouse=Identifier.parse(served.name)
            if (served := spec.snowflake.interactive_warehouse)
            else None,
            readers=tuple(map(Identifier.parse, spec.snowflake.reader.granted_to)),
        )


def bootstrap_names(spec: EnvironmentSpec) -> BootstrapNames:
    application = application_of(spec)
    return BootstrapNames(
        state_bucket=_bucket(spec, f"{application}-state"),
        state_key_alias=f"{_without_dots(application)}-state",
        boundary=f"{application}-boundary",
        deployer_role=f"deploy-{application}",
        previewer_role=f"preview-{application}",
        keys_policy=f"keys-{application}",
        letters_policy=f"letters-{application}",
    )


def application_of(spec: EnvironmentSpec) -> str:
    return spec.application or f"firnline-{spec.name}"


def volume_names(spec: EnvironmentSpec, volume: ExternalVolume) -> VolumeNames:
    application = application_of(spec)
    plain = NOT_IN_BUCKETS.sub("-", volume.name.lower()).strip("-")
    seed = f"{spec.aws.account}/{application}/{volume.name}"
    return VolumeNames(
        bucket=volume.bucket or _bucket(spec, f"{application}-{plain}"),
        role=f"{application}-{plain}-volume",
        external_id=f"firnline-{hashlib.sha256(seed.encode()).hexdigest()[:24]}",
    )


def table_of(pipeline: Pipeline) -> QualifiedName:
    table = Identifier.parse(pipeline.table) if pipeline.table else Identifier(table_name(pipeline.stream))
    return QualifiedName((*QualifiedName.of(pipeline.database, pipeline.schema_).parts, table))


def latest_name(pipeline: Pipeline) -> QualifiedName:
    """The table of the latest row of each key; a name has 255 characters at most (`sql-reference/identifiers-syntax`)."""
    *container, own = table_of(pipeline).parts
    given = pipeline.latest.name
    return QualifiedName((*container, Identifier.parse(given) if given else Identifier(f"{own.name[:248]}_LATEST")))


def view_of(view: StreamView) -> str:
    """The name of a materialized view of Redshift."""
    plain = _plain(view.stream.lower())
    return view.name or (f"_{plain}" if plain[0].isdigit() else plain)


def refresh_of(application: str, view: StreamView) -> str:
    """The name of a view's schedule, of its statement, and of the rule that counts its refreshes."""
    return f"{application}-refresh-{view.schema_}-{view_of(view)}"


def _bucket(spec: EnvironmentSpec, start: str) -> str:
    plain = NOT_IN_BUCKETS.sub("-", start.lower()).strip("-")
    return f"{plain}-{spec.aws.account}-{spec.aws.region}"


def _without_dots(application: str) -> str:
    """The application as names may have it that have no dots; that of `a.b` is not that of `a-b`."""
    name = NOT_IN_ALIASES.sub("-", application)
    return name if name == application else f"{name}-{hashlib.sha256(application.encode()).hexdigest()[:8]}"


def _start(spec: EnvironmentSpec) -> str:
    """The start of names in Snowflake: the application, so that two teams may have an environment of one name in one
    account; with the environment's name, because one application may be in an AWS account for each of its environments."""
    application = application_of(spec)
    whole = application if f"-{application}".endswith(f"-{spec.name}") else f"{application}-{spec.name}"
    plain = _plain(whole)
    return plain if plain[0].isalpha() else f"_{plain}"


def _plain(text: str) -> str:
    """The text with an underscore for what no unquoted identifier has; the case does not matter there."""
    return NOT_IN_IDENTIFIERS.sub("_", text)


def _engine_role(spec: EnvironmentSpec) -> str | None:
    """An adopted one may lie under a path, which is not part of its name."""
    arn = spec.aws.runtime.role_arn
    return arn.rpartition("/")[2] if arn else spec.aws.runtime.role


def _principal(named: ServiceUser, default: str) -> Principal:
    user = Identifier.parse(named.user or default)
    return Principal(user=user, role=Identifier.parse(named.role) if named.role else user)
