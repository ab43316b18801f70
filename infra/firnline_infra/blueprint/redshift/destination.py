"""From the specification to what Redshift has of it."""

from collections.abc import Iterator

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.length import check_policy_length
from firnline_infra.blueprint.iam.redshift import ingestion_statements, ingestion_trust
from firnline_infra.blueprint.redshift.definitions import (
    AggregateColumn,
    DependentViewDefinition,
    ExternalSchema,
    RedshiftDestination,
    SelectedColumn,
    StreamViewDefinition,
)
from firnline_infra.blueprint.storage import key_value
from firnline_infra.environment import Environment
from firnline_infra.specification.names import view_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.redshift import (
    AggregateFunction,
    Redshift,
    StreamView,
    UnreadableRecords,
    ViewAggregate,
    ViewRefresh,
)
from firnline_infra.specification.source_streams import SourceStream


def redshift_destination(environment: Environment) -> RedshiftDestination | None:
    names = environment.names
    section = environment.redshift
    if section is None:
        return None
    group = section.workgroup
    return RedshiftDestination(
        policy=reading_policy(environment, section),
        is_made=section.is_made,
        workgroup_name=None if group is None else group.name or names.application,
        workgroup_arn=None if group is None else group.arn,
        cluster=section.cluster_name(names.application),
        db_user=section.db_user,
        secret_arn=section.secret_arn,
        owner=_owner(environment, section),
        previewer=user_of(environment.bootstrap.previewer_role),
        database=section.database,
        role_arn=environment.arns.role(names.redshift_role),
        case_sensitive=section.case_sensitive,
        schemas=tuple(_schemas(environment, section, environment.arns.role(names.redshift_role))),
        views=stream_views(environment, section),
        durability=environment.durability,
    )


def _owner(environment: Environment, section: Redshift) -> str | None:
    if section.secret_arn is not None:
        return None
    return section.db_user or user_of(environment.bootstrap.deployer_role)


def user_of(role: str) -> str:
    """The database user that Redshift makes of an IAM role which logs in with temporary credentials."""
    return f"IAMR:{role}"


def _read_streams(environment: Environment, section: Redshift) -> dict[str, SourceStream]:
    read = {view.stream for view in section.views}
    return {stream.name: stream for stream in environment.sources if stream.name in read}


def reading_policy(environment: Environment, section: Redshift) -> tuple[PolicyStatement, ...]:
    """Raises ConfigError for a policy that is longer than IAM takes."""
    name = environment.names.redshift_role
    streams = _read_streams(environment, section).values()
    options = [stream.options for stream in streams]
    keys = (key_value(environment) if each.origin is Origin.CREATE else each.key_arn for each in options)
    statements = ingestion_statements(
        streams=tuple(stream.arn for stream in streams),
        keys=tuple(dict.fromkeys(key for key in keys if key is not None)),
    )
    check_policy_length(statements, kind="role", name=name, source=environment.name)
    return statements


def reading_trust(environment: Environment, section: Redshift) -> tuple[PolicyStatement, ...]:
    """AWS makes up the id of a workgroup, and the role is there before it."""
    cluster = section.cluster_name(environment.names.application)
    users = environment.arns.redshift_user(cluster or f"serverless-{environment.aws.account}-*", "*")
    return ingestion_trust(users=users, serverless=section.workgroup is not None)


def stream_views(environment: Environment, section: Redshift) -> tuple[StreamViewDefinition, ...]:
    """One for each view of the section, in its order."""
    streams = _read_streams(environment, section)
    return tuple(_view(environment, section, view, streams[view.stream]) for view in section.views)


def _schemas(environment: Environment, section: Redshift, role_arn: str) -> Iterator[ExternalSchema]:
    regions = dict.fromkeys(stream.region for stream in _read_streams(environment, section).values())
    for region in regions:
        yield ExternalSchema(
            name=_schema_of(environment, section, region),
            region=None if region == environment.aws.region else region,
            role_arn=None if section.default_role else role_arn,
        )


def _schema_of(environment: Environment, section: Redshift, region: str) -> str:
    here = region == environment.aws.region
    return section.external_schema if here else f"{section.external_schema}_{region.replace('-', '_')}"


def _view(environment: Environment, section: Redshift, view: StreamView, stream: SourceStream) -> StreamViewDefinition:
    return StreamViewDefinition(
        name=view_of(view),
        schema=view.schema_,
        stream=view.stream,
        external_schema=_schema_of(environment, section, stream.region),
        auto_refresh=view.refresh is ViewRefresh.AUTO,
        skips_unreadable=view.unreadable is UnreadableRecords.SKIP,
        stale_after_minutes=view.stale_after_minutes,
        metadata=tuple(each.value for each in view.kept_metadata),
        columns=tuple(
            SelectedColumn(name=column.name, type=column.type, path=tuple(column.path) or (column.name,))
            for column in view.columns
        ),
        aggregates=tuple(map(_aggregate, view.aggregates)),
        per=view.per.value if view.per else None,
        where=view.where,
        readers=tuple(view.readers),
        dependents=tuple(
            DependentViewDefinition(
                name=each.name, schema=view.schema_, select=each.select, materialized=each.materialized
            )
            for each in view.views
        ),
        origin=view.origin,
    )


def _aggregate(asked: ViewAggregate) -> AggregateColumn:
    counts_each = asked.function is AggregateFunction.COUNT and not asked.path
    path = () if counts_each else tuple(asked.path) or (asked.name,)
    return AggregateColumn(name=asked.name, function=asked.function.value, type=asked.type, path=path)
