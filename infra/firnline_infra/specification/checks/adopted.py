"""Checks of what exists already and belongs to somebody else: it is named once, used by something, and not asked to change."""

from collections.abc import Iterator

from firnline_infra.specification.adopted import PUBLIC, adopted_schemas
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.table import TablePrivilege
from firnline_infra.specification.target_tables import target_tables

ADOPT = ObjectOrigin.ADOPT


def _containers_are_listed_once(spec: EnvironmentSpec) -> Iterator[str]:
    seen: dict[tuple[str, ...], str] = {}
    for path, name in _listed(spec):
        if (other := seen.setdefault(name, path)) != path:
            yield f"{path}.name: {'.'.join(name)} is already at {other}; list it once."


def _containers_are_used(spec: EnvironmentSpec) -> Iterator[str]:
    used = {(each.database,) for each in spec.pipelines} | {(each.database, each.schema_) for each in spec.pipelines}
    for path, name in _listed(spec):
        if name not in used:
            yield f"{path}.name: no pipeline names {'.'.join(name)}; remove it, or correct a pipeline."


def _listed(spec: EnvironmentSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    for index, database in enumerate(spec.snowflake.databases):
        path = f"snowflake.databases[{index}]"
        yield path, (database.name,)
        for number, schema in enumerate(database.schemas):
            yield f"{path}.schemas[{number}]", (database.name, schema.name)


def _what_is_made_holds_nothing_yet(spec: EnvironmentSpec) -> Iterator[str]:
    for index, database in enumerate(spec.snowflake.databases):
        for number, schema in enumerate(database.schemas):
            if database.origin is not ADOPT and schema.origin is ADOPT and schema.name != PUBLIC:
                yield (
                    f"snowflake.databases[{index}].schemas[{number}].origin: {database.name} is made here, so it has no "
                    f"schema {schema.name} to adopt. Adopt the database too, or leave the schema to be created."
                )


def _an_adopted_table_is_in_an_adopted_schema(spec: EnvironmentSpec) -> Iterator[str]:
    schemas = adopted_schemas(spec)
    for each in target_tables(spec):
        pipeline = each.pipeline
        schema = QualifiedName.of(pipeline.database, pipeline.schema_)
        if pipeline.table_origin is ADOPT and schema not in schemas:
            yield (
                f"{each.at('table_origin')}: {schema} is made here, so it holds no table to adopt. Adopt the schema in "
                f"snowflake.databases, or let the table be created."
            )


def _an_adopted_table_keeps_its_owner(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.table_origin is ADOPT and pipeline.table_privilege is TablePrivilege.OWNERSHIP:
            yield (
                f"{each.at('table_privilege')}: 'ownership' would take an adopted table from its owner; expected 'insert'."
            )


def _an_adopted_pipe_leads_to_an_adopted_table(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.pipe is not None and pipeline.pipe.origin is ADOPT and pipeline.table_origin is not ADOPT:
            yield (
                f"{each.at('pipe.origin')}: a pipe that exists leads to a table that exists; say table_origin: adopt too."
            )


def _one_thing_says_from_where(spec: EnvironmentSpec) -> Iterator[str]:
    policy, networks = spec.snowflake.network_policy, spec.snowflake.allowed_networks
    if policy.origin is ADOPT and networks:
        yield (
            "snowflake.allowed_networks: the adopted network policy says from where users may connect; remove the networks, "
            "or the policy."
        )
    if policy.origin is not ADOPT and policy.name is not None and not networks:
        yield (
            "snowflake.network_policy.name: none is made without allowed_networks; give them, or adopt the policy with "
            "origin: adopt."
        )


def _a_policy_that_is_not_made_has_no_name(spec: EnvironmentSpec) -> Iterator[str]:
    if spec.snowflake.authentication_policy is not None and not spec.snowflake.key_pair_only:
        yield "snowflake.authentication_policy: names the policy of key_pair_only: true; remove it, or ask for that."


CHECKS = (
    _containers_are_listed_once,
    _containers_are_used,
    _what_is_made_holds_nothing_yet,
    _an_adopted_table_is_in_an_adopted_schema,
    _an_adopted_table_keeps_its_owner,
    _an_adopted_pipe_leads_to_an_adopted_table,
    _one_thing_says_from_where,
    _a_policy_that_is_not_made_has_no_name,
)
