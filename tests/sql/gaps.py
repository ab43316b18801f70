"""Gaps of other people's grammars: phrases that the vendors document, and one that the grammar knows in the place of each.

The rest of the statement is still judged. A row that no statement needs any more fails (test_statements.py), as does a
statement that is refused whatever the rows put in its place.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tests.sql.grammars import SQLFLUFF, SQLGLOT, refused_by

SNOWFLAKE, REDSHIFT = "snowflake", "redshift"
PROVIDER = "snowflakedb/terraform-provider-snowflake"
UNKNOWN = "docs/design/beliefs.md"


@dataclass(frozen=True)
class Gap:
    grammar: str
    dialect: str
    phrase: str
    """A regular expression."""
    instead: str
    page: str
    """The vendor's, below docs.snowflake.com/en or docs.aws.amazon.com/redshift/latest/dg. No page has what begins with
    PROVIDER: the stock provider sends it, as its source says or as it was seen on the wire; nor what begins with UNKNOWN: the
    row of beliefs.md that it names says what an account is asked."""
    day: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.phrase.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL)

    def filled(self, sql: str) -> str:
        return self.pattern.sub(self.instead, sql)


def _of_snowflake(grammar: str, phrase: str, instead: str, page: str, day: str = "2026-11-29") -> Gap:
    return Gap(grammar, SNOWFLAKE, phrase, instead, page, day)


GRANT = "sql-reference/sql/grant-privilege"
INTERACTIVE = "sql-reference/sql/create-interactive-table"
SHOW_INTERACTIVE = "sql-reference/sql/show-interactive-tables"
WAREHOUSE = "sql-reference/sql/create-interactive-warehouse"
POLICY = "sql-reference/sql/alter-authentication-policy"
AUTHENTICATION = "user-guide/authentication-policies"
ICEBERG = "sql-reference/sql/alter-iceberg-table"
DESCRIBE_POLICY = "sql-reference/sql/desc-authentication-policy"
RULES = "(?:ALLOWED|BLOCKED)_NETWORK_RULE_LIST"
NETWORK = "sql-reference/sql/create-network-policy"
TOKEN = "sql-reference/sql/alter-user-add-programmatic-access-token"
PIPE = "user-guide/snowpipe-streaming/snowpipe-streaming-high-performance-migration"
SETTABLE = "(?:LOG_LEVEL|TASK_AUTO_RETRY_ATTEMPTS|PIPE_EXECUTION_PAUSED)"
ERRORS = "sql-reference/sql/truncate-table"
PARAMETERS = "sql-reference/parameters"
SCRIPTING = "developer-guide/snowflake-scripting/blocks"
DYNAMIC = "sql-reference/sql/show-dynamic-tables"
GAPS = (
    _of_snowflake(SQLFLUFF, r"SHOW DYNAMIC TABLES", "SHOW TABLES", DYNAMIC),
    _of_snowflake(SQLFLUFF, r"(CREATE|REPLACE) INTERACTIVE TABLE", r"\1 TABLE", INTERACTIVE),
    _of_snowflake(SQLFLUFF, r"SHOW INTERACTIVE TABLES", "SHOW TABLES", SHOW_INTERACTIVE),
    _of_snowflake(SQLFLUFF, r"(?<!INSERT)\sON INTERACTIVE TABLE", " ON TABLE", GRANT),
    _of_snowflake(SQLFLUFF, r"(?<=INSERT)\sON INTERACTIVE TABLE", " ON TABLE", f"{UNKNOWN} B1003"),
    _of_snowflake(SQLFLUFF, r"CREATE INTERACTIVE WAREHOUSE", "CREATE WAREHOUSE", WAREHOUSE),
    _of_snowflake(SQLFLUFF, r" TABLES \([^)]*\)(?= WAREHOUSE_SIZE)", "", WAREHOUSE),
    _of_snowflake(SQLFLUFF, r"EVOLVE SCHEMA(?=.* ON (?:ALL )?ICEBERG)", "UPDATE", f"{UNKNOWN} B1001"),
    _of_snowflake(SQLFLUFF, r"SELECT ERROR TABLE(?=.* ON (?:ALL )?ICEBERG)", "UPDATE", f"{UNKNOWN} B1002"),
    _of_snowflake(SQLFLUFF, r"ON ICEBERG TABLE", "ON TABLE", GRANT),
    _of_snowflake(SQLFLUFF, r"ALTER ICEBERG TABLE", "ALTER TABLE", ICEBERG),
    _of_snowflake(SQLFLUFF, r"B LONG(?=,)", "B BIGINT", "user-guide/tables-iceberg-data-types"),
    _of_snowflake(SQLFLUFF, r"(?:EVOLVE SCHEMA|SELECT ERROR TABLE)(?=.* ON TABLE)", "UPDATE", GRANT),
    _of_snowflake(SQLFLUFF, r"CREATE EXTERNAL VOLUME ON ACCOUNT", "CREATE DATABASE ON ACCOUNT", GRANT),
    _of_snowflake(
        SQLFLUFF,
        r"GRANTS ON (EXTERNAL VOLUME|PIPE|STAGE|DYNAMIC TABLE)",
        "GRANTS ON TABLE",
        "sql-reference/sql/show-grants",
    ),
    _of_snowflake(SQLFLUFF, r"APPLY AUTHENTICATION POLICY ON USER", "MONITOR ON USER", AUTHENTICATION),
    _of_snowflake(SQLFLUFF, r"ALTER AUTHENTICATION POLICY", "ALTER TABLE", POLICY),
    _of_snowflake(
        SQLFLUFF, r"DROP AUTHENTICATION POLICY", "DROP TABLE", "sql-reference/sql/drop-authentication-policy"
    ),
    _of_snowflake(SQLFLUFF, r"DESCRIBE AUTHENTICATION POLICY", "DESCRIBE TABLE", DESCRIBE_POLICY),
    _of_snowflake(SQLFLUFF, r"CREATE AUTHENTICATION POLICY(?= ON SCHEMA)", "CREATE TABLE", AUTHENTICATION),
    _of_snowflake(SQLFLUFF, r"SHOW USER PROCEDURES", "SHOW TABLES", "sql-reference/sql/show-user-procedures"),
    _of_snowflake(SQLFLUFF, r"SHOW ALERTS", "SHOW TABLES", "sql-reference/sql/show-alerts"),
    _of_snowflake(SQLFLUFF, r"SHOW NOTEBOOKS", "SHOW TABLES", "sql-reference/sql/show-notebooks"),
    _of_snowflake(SQLFLUFF, r"SHOW MODELS", "SHOW TABLES", "sql-reference/sql/show-models"),
    _of_snowflake(SQLFLUFF, r"SHOW SERVICES", "SHOW TABLES", "sql-reference/sql/show-services"),
    _of_snowflake(SQLFLUFF, r"SHOW IMAGE REPOSITORIES", "SHOW TABLES", "sql-reference/sql/show-image-repositories"),
    _of_snowflake(SQLFLUFF, r"CREATE MODEL (\S+) .*", r"CREATE STAGE \1", "sql-reference/sql/create-model"),
    _of_snowflake(SQLFLUFF, r"CREATE SERVICE (\S+) .*", r"CREATE STAGE \1", "sql-reference/sql/create-service"),
    _of_snowflake(SQLFLUFF, r"CREATE IMAGE REPOSITORY", "CREATE STAGE", "sql-reference/sql/create-image-repository"),
    _of_snowflake(SQLFLUFF, r"MONITOR ON SERVICE", "MONITOR ON TASK", GRANT),
    _of_snowflake(SQLFLUFF, r"READ ON IMAGE REPOSITORY", "READ ON STAGE", GRANT),
    _of_snowflake(SQLFLUFF, r"MONITOR ON ALERT", "MONITOR ON TASK", GRANT),
    _of_snowflake(SQLFLUFF, r"CREATE NOTEBOOK (\S+) .*", r"CREATE STAGE \1", "sql-reference/sql/create-notebook"),
    _of_snowflake(SQLFLUFF, r"CREATE STREAMLIT (\S+) .*", r"CREATE STAGE \1", "sql-reference/sql/create-streamlit"),
    _of_snowflake(
        SQLFLUFF, r"SHOW AUTHENTICATION POLICIES", "SHOW TABLES", "sql-reference/sql/show-authentication-policies"
    ),
    _of_snowflake(SQLFLUFF, r" NETWORK_POLICY = \S+| QUERY_TAG = '\w*'", "", PARAMETERS),
    _of_snowflake(SQLFLUFF, rf"SET {SETTABLE} = [\w']+(?:, COMMENT = 'x')?", "SET COMMENT = 'x'", PARAMETERS),
    _of_snowflake(SQLFLUFF, rf"UNSET {SETTABLE}", "UNSET COMMENT", f"{PROVIDER} pkg/sdk/databases.go, schemas.go"),
    _of_snowflake(SQLFLUFF, r"(ALTER TABLE .* SET \w+ = \S+)(?: \w+ = \S+)+", r"\1", "sql-reference/sql/alter-table"),
    _of_snowflake(SQLFLUFF, r"FROM TABLE\(DATA_SOURCE\(TYPE => '\w+'\)\)(?= MATCH)", "FROM @S", PIPE),
    _of_snowflake(SQLFLUFF, r" FALLBACK_WAREHOUSE = \S+", "", f"{PROVIDER} MIGRATION_GUIDE.md", "2026-11-28"),
    _of_snowflake(SQLGLOT, r"(ARRAY\([^()]*(?:\([^()]*\))?) NOT NULL\)", r"\1)", "sql-reference/data-types-structured"),
    _of_snowflake(SQLFLUFF, r"TRUNCATE ERROR_TABLE\((\S+)\)", r"TRUNCATE \1", ERRORS),
    _of_snowflake(SQLGLOT, r"TRUNCATE ERROR_TABLE\((\S+)\)", r"TRUNCATE TABLE \1", ERRORS),
    _of_snowflake(SQLFLUFF, r"SET (?:AUTHENTICATION_METHODS|CLIENT_TYPES) = \([^)]*\)", "SET COMMENT = 'x'", POLICY),
    _of_snowflake(SQLFLUFF, rf" {RULES} = \([^)]*\)(?= ALLOWED_IP_LIST)", "", NETWORK),
    _of_snowflake(SQLFLUFF, rf"{RULES} = \([^)]*\)$", "COMMENT = 'x'", "sql-reference/sql/alter-network-policy"),
    _of_snowflake(
        SQLFLUFF, rf"UNSET ({RULES}|BLOCKED_IP_LIST)", "UNSET COMMENT", f"{PROVIDER} pkg/sdk/network_policies_gen.go"
    ),
    _of_snowflake(SQLFLUFF, r"DROP NETWORK RULE", "DROP TABLE", "sql-reference/sql/drop-network-rule"),
    _of_snowflake(SQLFLUFF, r"ALLOW_WRITES = true$", "", f"{PROVIDER} pkg/sdk/external_volumes_gen.go", "2026-11-28"),
    _of_snowflake(SQLFLUFF, r"(ALTER USER \S+) ADD PROGRAMMATIC ACCESS TOKEN .*", r"\1 SET COMMENT = 'x'", TOKEN),
    _of_snowflake(SQLFLUFF, r"MODIFY PROGRAMMATIC AUTHENTICATION METHODS", "MONITOR", GRANT),
    _of_snowflake(SQLFLUFF, r"OWNERSHIP ON NETWORK POLICY", "OWNERSHIP ON TABLE", "sql-reference/sql/grant-ownership"),
    _of_snowflake(SQLFLUFF, r"SHOW CHANNELS", "SHOW TABLES", "sql-reference/sql/show-channels"),
    _of_snowflake(SQLFLUFF, r"(SHOW PARAMETERS .*) FOR USER", r"\1 IN USER", "sql-reference/sql/show-parameters"),
    _of_snowflake(SQLFLUFF, r"DECLARE .*? INTEGER; (?=BEGIN)", "", SCRIPTING),
    _of_snowflake(SQLGLOT, r"(DECLARE .*)?BEGIN .*END;?", "SELECT 1", SCRIPTING),
    Gap(
        SQLFLUFF,
        REDSHIFT,
        r"(ALTER MATERIALIZED VIEW \S+) AUTO REFRESH (YES|NO)",
        r"SELECT 1",
        "r_ALTER_MATERIALIZED_VIEW.html",
        "2026-11-28",
    ),
    Gap(SQLFLUFF, REDSHIFT, r"SHOW VIEW \S+", "SELECT 1", "r_SHOW_VIEW.html", "2026-11-29"),
    _of_snowflake(SQLGLOT, r"DESCRIBE USER", "DESCRIBE TABLE", "sql-reference/sql/desc-user"),
    _of_snowflake(SQLGLOT, r"DESCRIBE AUTHENTICATION POLICY", "DESCRIBE TABLE", DESCRIBE_POLICY),
)


def gaps_of(dialect: str, sql: str) -> tuple[list[Gap], dict[str, str]]:
    """The rows that stand for what a grammar lacks of the statement, and what a grammar refuses all the same."""
    used: list[Gap] = []
    left: dict[str, str] = {}
    for grammar, why in refused_by(dialect, sql).items():
        rows = [gap for gap in GAPS if (gap.grammar, gap.dialect) == (grammar, dialect) and gap.pattern.search(sql)]
        filled = without(rows, sql)
        why_still = refused_by(dialect, filled).get(grammar) if rows else why
        used += rows
        if why_still:
            left[grammar] = f"{why_still} (of {filled})" if rows else why
    return used, left


def without(rows: Iterable[Gap], sql: str) -> str:
    for gap in rows:
        sql = gap.filled(sql)
    return sql
