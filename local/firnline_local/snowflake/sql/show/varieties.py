"""SHOW for Iceberg and interactive tables, and for the volumes that Iceberg tables are on."""

from collections.abc import Iterable

from firnline_local.snowflake.catalog import CatalogObject, Table, kinds
from firnline_local.snowflake.sql.result import NUMBER
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.listings import (
    COMMENT,
    CREATED_ON,
    DATABASE_NAME,
    NAME,
    OWNER,
    OWNER_ROLE_TYPE,
    SCHEMA_NAME,
    TABLES,
    Listed,
    Listing,
    Value,
    all_of,
    attribute,
    constant,
    flag,
    named,
)


def iceberg(name: str) -> Value:
    return lambda found, _: getattr(found.iceberg, name)


ICEBERG_TABLES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, OWNER,
    Listed("external_volume_name", lambda found, _: found.iceberg.external_volume.name),
    Listed("catalog_name", iceberg("catalog")), *named("MANAGED", "iceberg_table_type"),
    *named("", "catalog_table_name", "catalog_namespace"), Listed("base_location", iceberg("base_location")),
    *named("Y", "can_write_metadata"), COMMENT, OWNER_ROLE_TYPE, *named("", "catalog_sync_name", "auto_refresh_status"),
    Listed("iceberg_table_format_version", iceberg("version"), NUMBER),
    *named('[{"spec-id": 0, "fields": []}]', "partition_specs"), Listed("current_partition_spec_id", constant(0), NUMBER),
    *named("", "name_mapping"), Listed("enable_schema_evolution", flag("enable_schema_evolution")),
    Listed("error_logging", flag("error_logging", "ON", "OFF")),
)  # fmt: skip # a paragraph, not a column
EXTERNAL_VOLUMES = (
    NAME, Listed("allow_writes", attribute("allow_writes")), COMMENT,
)  # fmt: skip # a paragraph, not a column


def of_variety(variety: str) -> Listing:
    def found_in(_: Context, inside: CatalogObject) -> Iterable[CatalogObject]:
        return (found for found in inside.walk() if isinstance(found, Table) and found.variety == variety)

    return Listing(ICEBERG_TABLES if variety == "ICEBERG TABLE" else TABLES, found_in)


VARIETY_LISTINGS = {
    **{f"{variety}S": of_variety(variety) for variety in kinds.TABLE_VARIETIES},
    "EXTERNAL VOLUMES": Listing(EXTERNAL_VOLUMES, all_of(kinds.EXTERNAL_VOLUME), whole_account=True),
}
