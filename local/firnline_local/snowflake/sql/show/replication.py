"""SHOW REPLICATION DATABASES: there are none, but the stock Pulumi and Terraform provider asks after every database."""

from firnline_local.snowflake.sql.result import MOMENT, TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words

NAMES = (
    "region_group", "snowflake_region", "created_on", "account_name", "name", "comment", "is_primary", "primary",
    "replication_allowed_to_accounts", "failover_allowed_to_accounts", "organization_name", "account_locator",
)  # fmt: skip # a paragraph, not a column


def show_replication_databases(_context: Context, words: Words) -> Result:
    if words.accept("LIKE"):
        words.string()
    if words.accept("WITH PRIMARY"):
        words.name()
    words.end()
    return listing([(name, MOMENT if name == "created_on" else TEXT) for name in NAMES], [])
