"""Requests of a blueprint to Snowflake, in the words of in_snowflake.py."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.grants import Securable
from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, Table
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.specification.identifier import Identifier

from .asked_of_aws import Resolve
from .in_aws import Facts

Asked = Iterator[tuple[str, dict[str, Any]]]
SHOWN = {Securable.EXTERNAL_VOLUME: "VOLUME"}  # by SHOW GRANTS


def asked_of_snowflake(tree: Blueprint, resolve: Resolve) -> Facts:
    parts = (_containers, _tables, _latest, _stages, _pipes, _roles, _users, _policies, _warehouses, _volumes)
    return dict(asked for part in parts for asked in part(tree, resolve))


def _containers(tree: Blueprint, resolve: Resolve) -> Asked:
    for database in tree.landing.databases:
        yield f"database {database.name}", {"comment": database.comment}
    for schema in tree.landing.schemas:
        yield f"schema {schema.name}", {"comment": schema.comment}


def _tables(tree: Blueprint, resolve: Resolve) -> Asked:
    owners = {owned.name: owned.role for owned in tree.landing.ownerships}
    for table in tree.landing.tables:
        owner = str(owners.get(table.name, tree.names.deploy_role))
        yield f"table {table.name}", {"owner": owner, **_table(table)}


WHOLE = {"VARCHAR": "VARCHAR(16777216)", "TIMESTAMP_NTZ": "TIMESTAMP_NTZ(9)"}


def _declared(table: Table | IcebergTable | InteractiveTable) -> dict[str, str]:
    """Types as DESCRIBE writes them."""
    return {
        str(each.name): WHOLE.get(each.type, each.type.replace(", ", ",")) for each in (*table.metadata, *table.columns)
    }


def _table(table: Table | IcebergTable | InteractiveTable) -> dict[str, Any]:
    plain = {"iceberg": [None, None], "interactive": False, "sorting": "", "comment": ""}
    if isinstance(table, InteractiveTable):
        sorting = ", ".join(each.sql for each in table.cluster_by)
        return plain | {
            "columns": _declared(table),
            "interactive": True,
            "sorting": f"LINEAR({sorting})",
            "switches": dict.fromkeys(("enable_schema_evolution", "error_logging", "row_timestamp"), False),
        }
    return plain | {
        "columns": _declared(table),
        "switches": {
            "enable_schema_evolution": table.schema_evolution,
            "error_logging": table.error_logging,
            "row_timestamp": isinstance(table, Table) and table.row_timestamp,
        },
        "comment": table.comment,
        "iceberg": [str(table.volume), table.base_location] if isinstance(table, IcebergTable) else [None, None],
    }


def _latest(tree: Blueprint, resolve: Resolve) -> Asked:
    for each in tree.landing.latest:
        yield (
            f"dynamic table {each.name}",
            {
                "target_lag": "5 minutes",
                "refresh_mode": "INCREMENTAL",
                "warehouse": str(each.warehouse),
                "comment": each.comment,
                "scheduling_state": "ACTIVE",
                "owner": str(tree.names.deploy_role),
                "query": each.query,
            },
        )


def _stages(tree: Blueprint, resolve: Resolve) -> Asked:
    for stage in tree.landing.stages:
        yield f"stage {stage.name}", {"comment": stage.comment}


def _pipes(tree: Blueprint, resolve: Resolve) -> Asked:
    for pipe in tree.landing.pipes:
        yield f"pipe {pipe.name}", {"definition": pipe.copy_statement, "comment": pipe.comment}


def _roles(tree: Blueprint, resolve: Resolve) -> Asked:
    landing = tree.landing
    for role in landing.roles:
        may = {
            f"{privilege} {SHOWN.get(grant.on, grant.on)} {grant.name}"
            for grant in landing.grants
            for privilege in grant.privileges
            if grant.role == role.name
        }
        may |= {f"OWNERSHIP {owned.on} {owned.name}" for owned in landing.ownerships if owned.role == role.name}
        granted = {
            f"USER {grant.user}" if grant.user else f"ROLE {grant.to_role}"
            for grant in landing.role_grants
            if grant.role == role.name
        }
        yield f"Snowflake role {role.name}", {"may": may, "granted_to": granted}


def _users(tree: Blueprint, resolve: Resolve) -> Asked:
    for user in tree.landing.users:
        methods = user.authentication_policy
        yield (
            f"Snowflake user {user.name}",
            {
                "type": "SERVICE",
                "roles": [str(user.default_role), "[]"],
                "warehouse": _or_null(user.default_warehouse),
                "keys": [user.public_key or "null", user.public_key_2 or "null"],
                "policies": [str(user.network_policy or ""), *([str(methods.parts[-1])] if methods else [])],
                "comment": user.comment,
            },
        )


def _or_null(name: Identifier | None) -> str:
    return "null" if name is None else str(name)


def _policies(tree: Blueprint, resolve: Resolve) -> Asked:
    network, methods = tree.landing.network_policy, tree.landing.authentication_policy
    if network is not None:
        settings = {"ALLOWED_IP_LIST": ",".join(network.allowed_networks)}
        yield f"network policy {network.name}", {"settings": settings, "comment": network.comment}
    if methods is not None:
        told = {"methods": [f"[{', '.join(methods.methods)}]"], "comment": methods.comment}
        yield f"authentication policy {methods.name}", told


def _warehouses(tree: Blueprint, resolve: Resolve) -> Asked:
    if (warehouse := tree.landing.warehouse) is not None:
        told = {"type": "INTERACTIVE", "size": warehouse.size.title(), "comment": warehouse.comment}
        yield f"warehouse {warehouse.name}", told | {"tables": [str(table) for table in warehouse.tables]}


def _volumes(tree: Blueprint, resolve: Resolve) -> Asked:
    for volume in external_volumes(tree.environment):
        location = {
            "NAME": volume.location,
            "STORAGE_PROVIDER": volume.provider,
            "STORAGE_BASE_URL": volume.base_url,
            "STORAGE_ALLOWED_LOCATIONS": [f"{volume.base_url}*"],
            "STORAGE_AWS_ROLE_ARN": volume.role_arn,
            "STORAGE_AWS_IAM_USER_ARN": resolve(volume.iam_user),
            "STORAGE_AWS_EXTERNAL_ID": volume.external_id,
            "ENCRYPTION_TYPE": volume.encryption,
        }
        if volume.bucket.key_arn is not None:
            location["ENCRYPTION_KMS_KEY_ID"] = resolve(volume.bucket.key_arn)
        yield f"volume {volume.name}", {"location": location, "comment": volume.comment}
