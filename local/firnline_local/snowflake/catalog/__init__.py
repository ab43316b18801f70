"""The embedded Snowflake's catalog: every object of the account, and the rows of its tables."""

from firnline_local.snowflake.catalog.catalog import Catalog
from firnline_local.snowflake.catalog.channels import Channel
from firnline_local.snowflake.catalog.databases import Database, Schema
from firnline_local.snowflake.catalog.error_rows import ErrorRow
from firnline_local.snowflake.catalog.errors import AuthenticationFailed, CaseClash, DataFault, SqlError
from firnline_local.snowflake.catalog.objects import Account, CatalogObject, ConfiguredObject, Warehouse
from firnline_local.snowflake.catalog.pipes import Pipe
from firnline_local.snowflake.catalog.policies import AuthenticationPolicy, NetworkPolicy, NetworkRule
from firnline_local.snowflake.catalog.roles import Role
from firnline_local.snowflake.catalog.tables import Column, Default, Iceberg, Table
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.catalog.users import User
from firnline_local.snowflake.catalog.volumes import ExternalVolume, StorageLocation

__all__ = [
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
    "ErrorRow",
    "ExternalVolume",
    "Iceberg",
    "NetworkPolicy",
    "NetworkRule",
    "Pipe",
    "Role",
    "Schema",
    "SqlError",
    "StorageLocation",
    "Table",
    "User",
    "Warehouse",
]
