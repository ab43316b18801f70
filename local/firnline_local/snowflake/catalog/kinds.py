"""The kinds of object an account holds, as data: where each lives and what can be granted on it.

A kind that is not in this table can't be created, granted on or shown. Privileges are those of
docs.snowflake.com, `user-guide/security-access-control-privileges`; OWNERSHIP goes with every kind and is not listed.
"""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Scope that contains the objects of a kind."""

    NOTHING = ""
    ACCOUNT = "ACCOUNT"
    DATABASE = "DATABASE"
    SCHEMA = "SCHEMA"


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """One kind of object."""

    name: str
    """As GRANT … ON and SHOW GRANTS write it."""
    scope: Scope
    privileges: frozenset[str]
    plural: str = ""
    """As SHOW and GRANT … ON ALL write it."""

    def __str__(self) -> str:
        return self.name


def _kind(name: str, scope: Scope, *privileges: str, plural: str = "") -> ObjectKind:
    return ObjectKind(name, scope, frozenset(privileges), plural or f"{name}S")


OF_DYNAMIC_TABLES = ("MONITOR", "OPERATE")
"""Privileges that no other table has."""
PIPE = _kind("PIPE", Scope.SCHEMA, "APPLYBUDGET", "MONITOR", "OPERATE")
STAGE = _kind("STAGE", Scope.SCHEMA, "READ", "USAGE", "WRITE")
TABLE = _kind(
    "TABLE", Scope.SCHEMA, "APPLYBUDGET", "DELETE", "EVOLVE SCHEMA", "INSERT", "REBUILD", "REFERENCES", "SELECT",
    "SELECT ERROR TABLE", "TRUNCATE", "UPDATE", *OF_DYNAMIC_TABLES,
)  # fmt: skip # a paragraph, not a column
SCHEMA = _kind(
    "SCHEMA", Scope.DATABASE, "ADD SEARCH OPTIMIZATION", "APPLYBUDGET", "MODIFY", "MONITOR", "USAGE",
    *(f"CREATE {kind}" for kind in (
        "ALERT", "AUTHENTICATION POLICY", "DYNAMIC TABLE", "FILE FORMAT", "FUNCTION", "GIT REPOSITORY", "ICEBERG TABLE",
        "IMAGE REPOSITORY", "INTERACTIVE TABLE", "MATERIALIZED VIEW", "MODEL", "NETWORK RULE", "NOTEBOOK", "PIPE", "PROCEDURE",
        "SECRET", "SEQUENCE", "SERVICE", "STAGE", "STREAM", "STREAMLIT", "TABLE", "TASK", "TEMPORARY TABLE", "VIEW",
    )),
)  # fmt: skip # a paragraph, not a column
DATABASE = _kind("DATABASE", Scope.ACCOUNT, "APPLYBUDGET", "CREATE DATABASE ROLE", "CREATE SCHEMA", "MODIFY", "MONITOR",
                 "USAGE")  # fmt: skip # a paragraph, not a column
WAREHOUSE = _kind("WAREHOUSE", Scope.ACCOUNT, "APPLYBUDGET", "MANAGE ATTACHED TABLES", "MODIFY", "MONITOR", "OPERATE",
                  "USAGE")  # fmt: skip # a paragraph, not a column
NETWORK_POLICY = _kind("NETWORK POLICY", Scope.ACCOUNT, plural="NETWORK POLICIES")
NETWORK_RULE = _kind("NETWORK RULE", Scope.SCHEMA, "USAGE")
AUTHENTICATION_POLICY = _kind("AUTHENTICATION POLICY", Scope.SCHEMA, plural="AUTHENTICATION POLICIES")
VIEW = _kind("VIEW", Scope.SCHEMA, "REFERENCES", "SELECT")
MATERIALIZED_VIEW = _kind("MATERIALIZED VIEW", Scope.SCHEMA, "REFERENCES", "SELECT")
SEQUENCE = _kind("SEQUENCE", Scope.SCHEMA, "USAGE")
FILE_FORMAT = _kind("FILE FORMAT", Scope.SCHEMA, "USAGE")
FUNCTION = _kind("FUNCTION", Scope.SCHEMA, "USAGE")
PROCEDURE = _kind("PROCEDURE", Scope.SCHEMA, "USAGE")
STREAM = _kind("STREAM", Scope.SCHEMA, "SELECT")
TASK = _kind("TASK", Scope.SCHEMA, "MONITOR", "OPERATE")
ALERT = _kind("ALERT", Scope.SCHEMA, "MONITOR", "OPERATE")
NOTEBOOK = _kind("NOTEBOOK", Scope.SCHEMA, "USAGE")
STREAMLIT = _kind("STREAMLIT", Scope.SCHEMA, "USAGE")
MODEL = _kind("MODEL", Scope.SCHEMA, "READ", "USAGE")
SERVICE = _kind("SERVICE", Scope.SCHEMA, "MONITOR", "OPERATE")
IMAGE_REPOSITORY = _kind("IMAGE REPOSITORY", Scope.SCHEMA, "READ", "WRITE", plural="IMAGE REPOSITORIES")
GIT_REPOSITORY = _kind("GIT REPOSITORY", Scope.SCHEMA, "READ", "WRITE", plural="GIT REPOSITORIES")
SECRET = _kind("SECRET", Scope.SCHEMA, "READ", "USAGE")
EXTERNAL_VOLUME = _kind("EXTERNAL VOLUME", Scope.ACCOUNT, "USAGE")
USER = _kind(
    "USER", Scope.ACCOUNT, "APPLY AUTHENTICATION POLICY", "MODIFY PROGRAMMATIC AUTHENTICATION METHODS", "MONITOR"
)
ROLE = _kind("ROLE", Scope.ACCOUNT)
ACCOUNT = _kind(
    "ACCOUNT", Scope.NOTHING, "APPLY AUTHENTICATION POLICY", "EXECUTE MANAGED TASK", "EXECUTE TASK", "IMPORT SHARE",
    "MANAGE GRANTS", "MANAGE WAREHOUSES", "MONITOR", "MONITOR EXECUTION", "MONITOR USAGE",
    *(f"CREATE {kind}" for kind in (
        "DATABASE", "EXTERNAL VOLUME", "INTEGRATION", "NETWORK POLICY", "ROLE", "SHARE", "USER", "WAREHOUSE",
    )),
)  # fmt: skip # a paragraph, not a column

KINDS: dict[str, ObjectKind] = {
    kind.name: kind
    for kind in (
        ACCOUNT, DATABASE, SCHEMA, TABLE, PIPE, STAGE, WAREHOUSE, USER, ROLE, NETWORK_POLICY, NETWORK_RULE,
        AUTHENTICATION_POLICY, EXTERNAL_VOLUME, VIEW, MATERIALIZED_VIEW, SEQUENCE, FILE_FORMAT, FUNCTION, PROCEDURE, STREAM,
        TASK, ALERT, NOTEBOOK, STREAMLIT, MODEL, SERVICE, IMAGE_REPOSITORY, GIT_REPOSITORY, SECRET,
    )
}  # fmt: skip # a paragraph, not a column
TABLE_VARIETIES = ("ICEBERG TABLE", "INTERACTIVE TABLE", "DYNAMIC TABLE")
"""Tables, for grants and look-ups: CREATE needs a privilege of its own for each, and SHOW can list one apart."""
