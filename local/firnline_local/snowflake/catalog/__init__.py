"""The embedded Snowflake's catalog: every object of the account, and the rows of its tables."""

from firnline_local.snowflake.catalog.catalog import Catalog
from firnline_local.snowflake.catalog.definitions import DEFINITIONS, DefinedObject, View
from firnline_local.snowflake.catalog.errors import AuthenticationFailed, CaseClash, DataFault, SqlError
from firnline_local.snowflake.catalog.objects import (
    Account,
    CatalogObject,
    ConfiguredObject,
    Database,
    Role,
    Schema,
    Warehouse,
)
from firnline_local.snowflake.catalog.storage import ExternalVolume, Stage, StorageLocation
from firnline_local.snowflake.catalog.tables import Channel, Column, Default, Dynamic, ErrorRow, Iceberg, Pipe, Table
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.catalog.users import AuthenticationPolicy, NetworkPolicy, NetworkRule, User

__all__ = [
    "DEFINITIONS",
    "Account",
    "AuthenticationFailed",
    "AuthenticationPolicy",
    "CaseClash",
    "Catalog",
    "CatalogObject",
    "Channel",
    "Column",
    "ConfiguredObject",
    "DataFault",
    "DataType",
    "Database",
    "Default",
    "DefinedObject",
    "Dynamic",
    "ErrorRow",
    "ExternalVolume",
    "Iceberg",
    "NetworkPolicy",
    "NetworkRule",
    "Pipe",
    "Role",
    "Schema",
    "SqlError",
    "Stage",
    "StorageLocation",
    "Table",
    "User",
    "View",
    "Warehouse",
]
