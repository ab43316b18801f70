"""Volumes, warehouses and networks, and the two service users: different ones, with roles and keys of their own."""

from collections.abc import Iterator
from ipaddress import IPv6Network, ip_network

from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, volume_names
from firnline_infra.specification.pipeline import content_column
from firnline_infra.specification.service_users import INGEST, READER, service_users
from firnline_infra.specification.table import SNOWFLAKE_STORAGE, TableKind, TablePrivilege
from firnline_infra.specification.target_tables import target_tables
from firnline_ingest.errors import did_you_mean


def _volumes_are_declared(spec: EnvironmentSpec) -> Iterator[str]:
    names = [volume.name for volume in spec.snowflake.external_volumes]
    for each in target_tables(spec):
        volume = each.pipeline.external_volume
        if volume not in (None, SNOWFLAKE_STORAGE, *names):
            yield (
                f"{each.at('external_volume')}: {volume} is not among snowflake.external_volumes; "
                f"{did_you_mean(str(volume), [*names, SNOWFLAKE_STORAGE])}"
            )


def _volumes_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses volumes that collide, in Snowflake or in what is made for them in AWS, where fewer characters are allowed."""
    names: dict[str, int] = {}
    buckets: dict[str, str] = {Names.of(spec).bucket: "aws.bucket"}
    roles: dict[str, str] = {Names.of(spec).engine_role: "the engine"}
    for index, volume in enumerate(spec.snowflake.external_volumes):
        path, derived = f"snowflake.external_volumes[{index}]", volume_names(spec, volume)
        if names.setdefault(volume.name, index) != index:
            yield f"{path}.name: {volume.name} is already the name of another volume."
            continue
        if volume.origin is ObjectOrigin.ADOPT:
            continue
        if (other := buckets.setdefault(derived.bucket, path)) != path:
            yield f"{path}.bucket: {derived.bucket} is already the bucket of {other}; give another."
        if (other := roles.setdefault(derived.role, path)) != path:
            yield f"{path}.name: gives the IAM role {derived.role}, which is already that of {other}; give another name."


def _interactive_tables_have_their_warehouse(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses interactive tables without an interactive warehouse, and the other way round: only such a warehouse answers
    from them within a second, and it serves nothing else."""
    warehouse = spec.snowflake.interactive_warehouse
    interactive = [each.path for each in target_tables(spec) if each.pipeline.table_kind is TableKind.INTERACTIVE]
    if interactive and warehouse is None:
        yield (
            f"snowflake.interactive_warehouse: is required, because {interactive[0]} has table_kind: "
            f"interactive; give it a name."
        )
    if warehouse is not None and not interactive:
        yield "snowflake.interactive_warehouse: no pipeline has table_kind: interactive; remove it, or it only costs."
    if warehouse is not None and warehouse.name == spec.snowflake.warehouse:
        yield (
            f"snowflake.interactive_warehouse.name: {warehouse.name} is also snowflake.warehouse, which exists already; "
            f"this one is made here and needs a name of its own."
        )


def _what_asks_for_policies_has_a_warehouse(spec: EnvironmentSpec) -> Iterator[str]:
    """The provider reads these with POLICY_REFERENCES, a table function, which a warehouse computes."""
    if spec.snowflake.warehouse is not None:
        return
    asking = ["snowflake.key_pair_only"] if spec.snowflake.key_pair_only else []
    asking += [
        f"{each.path}.table_kind: {each.pipeline.table_kind}"
        for each in target_tables(spec)
        if each.pipeline.table_kind is not TableKind.STANDARD
    ]
    if asking:
        yield (
            f"snowflake.warehouse: is required because of {' and '.join(asking)}: which policies a user or table has is asked "
            "in a warehouse. Name one that exists; the smallest will do."
        )


def _networks_are_of_ipv4(spec: EnvironmentSpec) -> Iterator[str]:
    """docs.snowflake.com/en/sql-reference/sql/create-network-policy, ALLOWED_IP_LIST."""
    for index, network in enumerate(spec.snowflake.allowed_networks):
        if isinstance(ip_network(network), IPv6Network):
            yield f"snowflake.allowed_networks[{index}]: {network} is of IPv6; Snowflake's list takes IPv4 networks."


def _the_account_names_its_organisation(spec: EnvironmentSpec) -> Iterator[str]:
    """The provider takes the two apart; an account's locator alone would reach the engine and not Pulumi."""
    organisation, _, account = spec.snowflake.account.partition("-")
    if not (organisation and account):
        yield f"snowflake.account: expected <organisation>-<account>, as in the account's URL, got {spec.snowflake.account!r}."


NOT_IN_NAMES = '"()|'
"""The provider refuses quotes and parentheses in an identifier that it reads (pkg/sdk/identifier_parsers.go), and the ids of its
tables, pipes and grants are parts with | between them."""
NOT_IN_COLUMNS = "\"'\\"
"""The provider escapes the name of a standard table's column as a text, and not as a name (pkg/resources/table.go;
snowflakedb/terraform-provider-snowflake#2844, 2026-11-30)."""


def _the_provider_can_read_the_names(spec: EnvironmentSpec) -> Iterator[str]:
    """Snowflake itself takes any: else an `up` would make half of the environment, and stop at these."""
    for path, name in _names(spec):
        if unread := "".join(sorted(set(name) & set(NOT_IN_NAMES))):
            yield f"{path}: {name} holds {unread}, which the Snowflake provider can't read in a name; give it another one."
    for path, name in _column_names(spec):
        if unread := "".join(sorted(set(name) & set(NOT_IN_COLUMNS))):
            yield (
                f"{path}: {name} holds {unread}, of which the Snowflake provider makes another name, or an error; give the "
                f"column another one."
            )
    for path, name in _clustering_keys(spec):
        if "," in name:
            yield (
                f"{path}: {name} has a comma, at which the Snowflake provider takes a clustering key apart, so that each "
                f"preview would show a change; give the column another name, or don't cluster by it."
            )
    schema = next(target_tables(spec)).schema if spec.snowflake.key_pair_only else None
    if schema is not None and any("." in part.name for part in schema.parts):
        yield (
            f"snowflake.key_pair_only: its policy lies in the first pipeline's schema, {schema}, and the Snowflake provider "
            f"splits a name at each dot when it gives the policy to a user; give another database or schema, or set it to false."
        )


def _clustering_keys(spec: EnvironmentSpec) -> Iterator[tuple[str, str]]:
    """Yields those of standard tables, which the provider reads back from SHOW TABLES, and splits at each comma outside of
    parentheses (pkg/sdk, Table.GetClusterByKeys, 2026-11-30)."""
    for each in target_tables(spec):
        if each.pipeline.table_kind is TableKind.STANDARD and each.pipeline.table_origin is ObjectOrigin.CREATE:
            for number, column in enumerate(each.pipeline.cluster_by):
                yield each.at(f"cluster_by[{number}]"), Identifier.parse(column).name


def _column_names(spec: EnvironmentSpec) -> Iterator[tuple[str, str]]:
    """Yields the columns that standard tables are made with."""
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.table_kind is not TableKind.STANDARD or pipeline.table_origin is not ObjectOrigin.CREATE:
            continue
        for number, column in enumerate(pipeline.columns):
            yield f"{each.path}.columns[{number}].name", Identifier.parse(column.name).name
        yield from ((each.at("metadata"), name) for name in metadata_columns(pipeline))
        if (content := content_column(pipeline)) is not None:
            yield each.at("content_column"), content[0]


def _names(spec: EnvironmentSpec) -> Iterator[tuple[str, str]]:
    """Yields names as they are stored; a name that is made up has none of these."""
    names, section = Names.of(spec), spec.snowflake
    for each in target_tables(spec):
        table = each.pipeline
        given = {"database": table.database, "schema": table.schema_, "table": table.table}
        if table.pipe is not None:
            given["pipe.name"] = table.pipe.name
        if table.keeps_latest:
            given |= {"latest.name": table.latest.name, "latest.warehouse": table.latest.warehouse}
        yield from ((each.at(field), Identifier.parse(name).name) for field, name in given.items() if name)
    for user in service_users(spec):
        yield f"{user.path}.user", user.principal.user.name
        yield f"{user.path}.role", user.principal.role.name
    for index, role in enumerate(section.reader.granted_to):
        yield f"snowflake.reader.granted_to[{index}]", Identifier.parse(role).name
    for index, volume in enumerate(section.external_volumes):
        yield f"snowflake.external_volumes[{index}].name", Identifier.parse(volume.name).name
    if section.interactive_warehouse is not None:
        yield "snowflake.interactive_warehouse.name", Identifier.parse(section.interactive_warehouse.name).name
    if names.warehouse is not None:
        yield "snowflake.warehouse", names.warehouse.name
    yield "snowflake.deploy_role", names.deploy_role.name
    yield "snowflake.preview_role", names.preview_role.name
    if section.network_policy.origin is ObjectOrigin.CREATE:
        yield "snowflake.network_policy.name", names.network_policy.name
    yield "snowflake.authentication_policy", names.authentication_policy.name


def _each_is_somebody_else(spec: EnvironmentSpec) -> Iterator[str]:
    """Users, and the roles that they have: what reads may not write, and no pipeline's user another one's tables."""
    names = Names.of(spec)
    seen = {("role", names.deploy_role.name): "snowflake.deploy_role"}
    for user in service_users(spec):
        for kind, name in {"user": user.principal.user, "role": user.principal.role}.items():
            path = f"{user.path}.{kind}"
            if (other := seen.setdefault((kind, name.name), path)) != path:
                yield f"{path}: {name} is also {other}; each has rights of its own, so name another."
    if ("role", names.preview_role.name) in seen:
        other = seen["role", names.preview_role.name]
        yield (
            f"snowflake.preview_role: {names.preview_role} is also {other}; what previews may change nothing, so name another."
        )


def _login_names_differ_by_more_than_case(spec: EnvironmentSpec) -> Iterator[str]:
    """The name of a user is its login name, too, and these are case-insensitive (docs.snowflake.com, CREATE ORGANIZATION
    USER, LOGIN_NAME, 2026-11-30)."""
    names = Names.of(spec)
    users = [
        *((f"{user.path}.user", user.principal.user) for user in service_users(spec)),
        *(("snowflake.deploy_role", names.deploy_role), ("snowflake.preview_role", names.preview_role)),  # CI's users
    ]
    roles = {user.principal.role for user in service_users(spec)}
    seen: dict[str, tuple[str, Identifier]] = {}
    for path, name in users:
        other, first = seen.setdefault(name.name.upper(), (path, name))
        is_told_already = name == first and (
            path.endswith(".user") or name in roles or name == names.deploy_role == names.preview_role
        )
        if other != path and not is_told_already:
            yield (
                f"{path}: the user {name} and {first} ({other}) would have one login name, whose case does not count; choose "
                f"another name."
            )


def _adopted_users_are_left_as_they_are(spec: EnvironmentSpec) -> Iterator[str]:
    names = Names.of(spec)
    adopted = {user.principal.role: user.path for user in service_users(spec) if not user.is_made}
    for target in target_tables(spec):
        path = adopted.get(names.ingest_of[target.pipeline.stream].role)
        if path is not None and target.pipeline.table_privilege is TablePrivilege.OWNERSHIP:
            yield (
                f"{target.at('table_privilege')}: {path} is adopted, and what its role owned could not be managed here; "
                f"remove it, or have a role made."
            )
    if spec.snowflake.reader.granted_to and spec.snowflake.reader.origin is ObjectOrigin.ADOPT:
        yield "snowflake.reader.granted_to: its role is adopted, so its owner grants it; remove one of them."


def _pipelines_users_have_names_of_their_own(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses streams with the names by which `firnline keys` knows the environment's own users."""
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.ingest is not None and pipeline.stream in (INGEST, READER):
            yield f"pipelines[{index}].ingest: `firnline keys` calls another user {pipeline.stream}; remove it."


PUBLIC = "PUBLIC"
SYSTEM_ROLES = ("ACCOUNTADMIN", "GLOBALORGADMIN", "ORGADMIN", PUBLIC, "SECURITYADMIN", "SYSADMIN", "USERADMIN")
"""docs.snowflake.com/en/user-guide/security-access-control-overview, system-defined roles."""


def _no_role_is_snowflakes_own(spec: EnvironmentSpec) -> Iterator[str]:
    """A bootstrap makes the first two where they are missing, and gives them to CI's users; the others are the engine's and the
    reader's, also where they are adopted. What PUBLIC is granted, everybody has."""
    names = Names.of(spec)
    roles = {"snowflake.deploy_role": names.deploy_role, "snowflake.preview_role": names.preview_role}
    roles |= {f"{user.path}.role": user.principal.role for user in service_users(spec)}
    for path, role in roles.items():
        if role.name == PUBLIC:
            yield f"{path}: {role} is everybody's role, and everybody would have its rights; name one of the environment's."
        elif role.name in SYSTEM_ROLES:
            yield f"{path}: {role} is Snowflake's own role, and may far more than is needed; name one of the environment's."


def _readers_are_others(spec: EnvironmentSpec) -> Iterator[str]:
    own = {str(user.principal.role) for user in service_users(spec)}
    for index, role in enumerate(spec.snowflake.reader.granted_to):
        if role in own:
            yield (
                f"snowflake.reader.granted_to[{index}]: {role} is a role of this environment; expected roles of people "
                f"and of other programs."
            )


def _keys_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    seen: dict[str, str] = {}
    for user in service_users(spec):
        for slot in ("slot_1", "slot_2"):
            key, path = getattr(user.options.public_keys, slot), f"{user.path}.public_keys.{slot}"
            if key is not None and (other := seen.setdefault(key, path)) != path:
                yield f"{path}: is the same key as {other}; each place needs a key pair of its own."


def _secrets_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    seen: dict[str, str] = {}
    for user in service_users(spec):
        arn, path = user.options.secret_arn, f"{user.path}.secret_arn"
        if arn is not None and (other := seen.setdefault(arn, path)) != path:
            yield f"{path}: is also {other}; one would be the other. Give a secret of its own."


CHECKS = (
    _the_account_names_its_organisation,
    _volumes_are_declared,
    _volumes_are_distinct,
    _interactive_tables_have_their_warehouse,
    _what_asks_for_policies_has_a_warehouse,
    _networks_are_of_ipv4,
    _the_provider_can_read_the_names,
    _each_is_somebody_else,
    _login_names_differ_by_more_than_case,
    _adopted_users_are_left_as_they_are,
    _pipelines_users_have_names_of_their_own,
    _no_role_is_snowflakes_own,
    _readers_are_others,
    _keys_are_distinct,
    _secrets_are_distinct,
)
