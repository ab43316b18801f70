"""From the specification to what Redshift has of it."""

from collections.abc import Iterator

from firnline_infra.blueprint.aws import IamRole
from firnline_infra.blueprint.iam.length import check_policy_length
from firnline_infra.blueprint.iam.redshift import ingestion_statements, ingestion_trust
from firnline_infra.blueprint.redshift.definitions import (
    AggregateColumn,
    DependentViewDefinition,
    ExternalSchema,
    RedshiftCluster,
    RedshiftDestination,
    RedshiftWorkgroup,
    SelectedColumn,
    StreamViewDefinition,
)
from firnline_infra.blueprint.redshift.refreshing import scheduled_refreshes
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import tags
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.elsewhere import arn_of, place_of
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, bootstrap_names, view_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.redshift import (
    ADMINISTRATOR,
    AggregateFunction,
    Redshift,
    StreamView,
    UnreadableRecords,
    ViewAggregate,
    ViewRefresh,
)

REDSHIFT_ROLE = Reference("redshift-role")


def redshift_destination(spec: EnvironmentSpec, names: Names, key_arn: Value | None) -> RedshiftDestination | None:
    section = spec.redshift
    if section is None:
        return None
    streams = _read_streams(spec, section)
    group = section.workgroup
    workgroup_name = None if group is None else group.name or names.application
    cluster = section.cluster_name(names.application)
    role_arn = Arns(spec).role(names.redshift_role)
    views = tuple(_view(spec, section, view, streams[view.stream]) for view in section.views)
    made = _cluster(spec, cluster, key_arn) if cluster and section.is_made else None
    return RedshiftDestination(
        role=_role(spec, names, streams, key_arn),
        workgroup=_workgroup(spec, workgroup_name) if workgroup_name and section.is_made else None,
        made_cluster=made,
        workgroup_name=workgroup_name,
        workgroup_arn=None if group is None else group.arn,
        cluster=cluster,
        db_user=section.db_user,
        secret_arn=section.secret_arn,
        owner=_owner(spec, section),
        previewer=user_of(bootstrap_names(spec).previewer_role),
        database=section.database,
        role_arn=role_arn,
        case_sensitive=section.case_sensitive,
        schemas=tuple(_schemas(spec, section, streams, role_arn)),
        views=views,
        refreshes=scheduled_refreshes(spec, names, views, group=workgroup_name, key=made.key_arn if made else None),
        durability=spec.durability,
    )


def _owner(spec: EnvironmentSpec, section: Redshift) -> str | None:
    if section.secret_arn is not None:
        return None
    return section.db_user or user_of(bootstrap_names(spec).deployer_role)


def user_of(role: str) -> str:
    """The database user that Redshift makes of an IAM role which logs in with temporary credentials."""
    return f"IAMR:{role}"


def _read_streams(spec: EnvironmentSpec, section: Redshift) -> dict[str, StreamOptions]:
    read = {view.stream for view in section.views}
    return {stream.name: stream for stream in spec.streams if stream.name in read}


def _role(spec: EnvironmentSpec, names: Names, streams: dict[str, StreamOptions], key_arn: Value | None) -> IamRole:
    """Raises ConfigError for a policy that is longer than IAM takes."""
    keys = (key_arn if stream.origin is Origin.CREATE else stream.key_arn for stream in streams.values())
    section = spec.redshift
    assert section is not None
    statements = ingestion_statements(
        streams=tuple(arn_of(spec, stream) for stream in streams.values()),
        keys=tuple(dict.fromkeys(key for key in keys if key is not None)),
    )
    check_policy_length(statements, kind="role", name=names.redshift_role, source=spec.name)
    return IamRole(
        name=names.redshift_role,
        trust=ingestion_trust(users=_users(spec, names, section), serverless=section.workgroup is not None),
        statements=statements,
        description=f"Redshift reads streams, environment {spec.name}",
        permissions_boundary=spec.aws.permissions_boundary,
        tags=tags(spec, component="redshift"),
    )


def _users(spec: EnvironmentSpec, names: Names, section: Redshift) -> str:
    """AWS makes up the id of a workgroup, and the role is there before it."""
    cluster = section.cluster_name(names.application)
    return Arns(spec).redshift_user(cluster or f"serverless-{spec.aws.account}-*", "*")


def _workgroup(spec: EnvironmentSpec, name: str) -> RedshiftWorkgroup:
    section = spec.redshift
    assert section is not None
    assert section.workgroup is not None
    return RedshiftWorkgroup(
        name=name,
        database=section.database,
        role_arn=REDSHIFT_ROLE,
        is_default_role=section.default_role,
        base_capacity=section.workgroup.base_capacity,
        subnets=tuple(section.workgroup.subnets),
        security_groups=tuple(section.workgroup.security_groups),
        case_sensitive=section.case_sensitive,
        durability=spec.durability,
        tags=tags(spec, component="redshift"),
    )


def _cluster(spec: EnvironmentSpec, name: str, key_arn: Value | None) -> RedshiftCluster:
    section = spec.redshift
    assert section is not None
    assert section.cluster is not None
    return RedshiftCluster(
        name=name,
        database=section.database,
        administrator=ADMINISTRATOR,
        role_arn=REDSHIFT_ROLE,
        is_default_role=section.default_role,
        node_type=section.cluster.node_type,
        nodes=section.cluster.nodes,
        key_arn=key_arn,
        subnet_group=section.cluster.subnet_group,
        parameter_group=section.cluster.parameter_group,
        security_groups=tuple(section.cluster.security_groups),
        durability=spec.durability,
        tags=tags(spec, component="redshift"),
    )


def _schemas(
    spec: EnvironmentSpec, section: Redshift, streams: dict[str, StreamOptions], role_arn: str
) -> Iterator[ExternalSchema]:
    regions = dict.fromkeys(place_of(spec, stream).region for stream in streams.values())
    for region in regions:
        yield ExternalSchema(
            name=_schema_of(spec, section, region),
            region=None if region == spec.aws.region else region,
            role_arn=None if section.default_role else role_arn,
        )


def _schema_of(spec: EnvironmentSpec, section: Redshift, region: str) -> str:
    here = region == spec.aws.region
    return section.external_schema if here else f"{section.external_schema}_{region.replace('-', '_')}"


def _view(spec: EnvironmentSpec, section: Redshift, view: StreamView, stream: StreamOptions) -> StreamViewDefinition:
    return StreamViewDefinition(
        name=view_of(view),
        schema=view.schema_,
        stream=view.stream,
        external_schema=_schema_of(spec, section, place_of(spec, stream).region),
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
