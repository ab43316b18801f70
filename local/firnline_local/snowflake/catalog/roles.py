"""Roles, and the ones that every account is born with."""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject

ACCOUNTADMIN, SECURITYADMIN, USERADMIN, SYSADMIN, PUBLIC = (
    "ACCOUNTADMIN",
    "SECURITYADMIN",
    "USERADMIN",
    "SYSADMIN",
    "PUBLIC",
)
SYSTEM_ROLES = (ACCOUNTADMIN, SECURITYADMIN, USERADMIN, SYSADMIN, PUBLIC)

HIERARCHY = {SYSADMIN: ACCOUNTADMIN, SECURITYADMIN: ACCOUNTADMIN, USERADMIN: SECURITYADMIN}
"""Which system role is granted to which."""

ACCOUNT_PRIVILEGES = {
    SECURITYADMIN: ("MANAGE GRANTS", "CREATE NETWORK POLICY"),
    SYSADMIN: ("CREATE DATABASE", "CREATE WAREHOUSE"),
    USERADMIN: ("CREATE ROLE", "CREATE USER"),
}
"""ACCOUNTADMIN is not listed: it may do everything."""


@dataclass(kw_only=True, eq=False)
class Role(CatalogObject):
    """An account role. Which roles it holds is in `Grants`."""

    kind = kinds.ROLE
