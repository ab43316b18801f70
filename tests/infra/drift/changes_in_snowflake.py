"""What people do in Snowflake past the stack, each with the one finding that has to come of it."""

from collections.abc import Iterator

from firnline_infra.blueprint import blueprint_of
from tests.infra.drift.conftest import Change, Made

STRANGER = "arn:aws:iam::999988887777:root"


def changes(made: Made) -> Iterator[Change]:
    yield from _properties(made)
    yield from _users(made)
    yield from _rights(made)
    yield from _to_others(made)
    yield from _settings(made)
    yield from {"dev": _dev, "staging": _staging, "prod": _prod}[made.name](made)


def _properties(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    database, table = f"FIRNLINE_{up}", f"FIRNLINE_{up}.RAW.ORDERS"
    orders = f"snowflake table {table}"
    yield made.by_sql(f"ALTER DATABASE {database} SET COMMENT = 'mine'", f"snowflake database {database}", "comment")
    yield made.by_sql(f"ALTER TABLE {table} SET ERROR_LOGGING = FALSE", orders, "ERROR_LOGGING")
    yield made.by_sql(f"ALTER TABLE {table} SET ENABLE_SCHEMA_EVOLUTION = FALSE", orders, "ENABLE_SCHEMA_EVOLUTION")
    yield made.by_sql(f"ALTER TABLE {table} SET ROW_TIMESTAMP = FALSE", orders, "ROW_TIMESTAMP")
    yield made.by_sql(f"ALTER TABLE {table} SET COMMENT = 'mine'", orders, "comment")
    yield made.by_sql(f"ALTER TABLE {table} SET DATA_RETENTION_TIME_IN_DAYS = 0", orders, "dataRetentionTimeInDays")


def _users(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    reader, ingest = f"FIRNLINE_{up}_READER", f"FIRNLINE_{up}_INGEST"
    engine, audit = f"snowflake service user {ingest}", f"snowflake service user {reader}"
    *_, known = blueprint_of(made.spec).landing.users
    second = known.public_key
    yield made.by_sql(f"ALTER USER {ingest} SET RSA_PUBLIC_KEY_2 = '{second}'", engine, "rsaPublicKey2")
    yield made.by_sql(f"ALTER USER {reader} UNSET RSA_PUBLIC_KEY", audit, "rsaPublicKey")
    yield made.by_sql(f"ALTER USER {reader} SET DISABLED = TRUE", audit, "disabled")
    yield made.by_sql(f"ALTER USER {ingest} SET DEFAULT_ROLE = 'SYSADMIN'", engine, "defaultRole")
    yield made.by_sql(f"ALTER USER {reader} UNSET DEFAULT_WAREHOUSE", audit, "defaultWarehouse")
    yield made.by_sql(f"ALTER USER {ingest} SET COMMENT = 'mine'", engine, "comment")
    secondary = f"ALTER USER {ingest} SET DEFAULT_SECONDARY_ROLES = ('ALL')"
    yield made.by_sql(secondary, engine, "defaultSecondaryRolesOption")
    if made.name != "prod":
        made.sql("CREATE NETWORK POLICY ANYWHERE ALLOWED_IP_LIST = ('0.0.0.0/0')")
        yield made.by_sql(f"ALTER USER {ingest} SET NETWORK_POLICY = ANYWHERE", engine, "networkPolicy")


def _rights(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    table, reader, ingest = f"FIRNLINE_{up}.RAW.ORDERS", f"FIRNLINE_{up}_READER", f"FIRNLINE_{up}_INGEST"
    roles = "snowflake account role"
    given = f"GRANT INSERT ON TABLE {table} TO ROLE {reader}"
    yield made.by_sql(given, f"{roles} {reader}", f"INSERT on TABLE {table}")
    future = f"GRANT SELECT ON FUTURE TABLES IN SCHEMA FIRNLINE_{up}.RAW TO ROLE {ingest}"
    yield made.by_sql(future, f"{roles} {ingest}", f"future SELECT on FIRNLINE_{up}.RAW.<TABLE>")
    made.sql("CREATE ROLE IF NOT EXISTS ANALYST")
    handed = f"GRANT ROLE {reader} TO ROLE ANALYST"
    yield made.by_sql(handed, f"{roles} {reader}", "granted to role ANALYST")
    yield made.by_sql(f"GRANT ROLE ANALYST TO ROLE {ingest}", f"{roles} {ingest}", "USAGE on ROLE ANALYST")
    taken = f"GRANT ROLE ANALYST TO USER {ingest}"
    yield made.by_sql(taken, f"snowflake service user {ingest}", "role ANALYST")


def _to_others(made: Made) -> Iterator[Change]:
    """Rights on the environment's objects, and its roles, that went to anybody."""
    up = made.name.upper()
    schema, deploy, preview = f"FIRNLINE_{up}.RAW", f"FIRNLINE_{up}_DEPLOY", f"FIRNLINE_{up}_PREVIEW"
    table, roles = f"{schema}.ORDERS", "snowflake account role"
    for privilege in ("INSERT", "DELETE", "SELECT"):
        path = f"{privilege} to role ANALYST"
        yield made.by_sql(f"GRANT {privilege} ON TABLE {table} TO ROLE ANALYST", f"snowflake table {table}", path)
    future = f"GRANT SELECT ON FUTURE TABLES IN SCHEMA {schema} TO ROLE ANALYST"
    yield made.by_sql(future, f"snowflake schema {schema}", "future SELECT on TABLE to role ANALYST")
    all_of = f"GRANT SELECT ON FUTURE TABLES IN DATABASE FIRNLINE_{up} TO ROLE ANALYST"
    yield made.by_sql(all_of, f"snowflake database FIRNLINE_{up}", "future SELECT on TABLE to role ANALYST")
    writes = f"GRANT INSERT ON TABLE {table} TO ROLE {preview}"
    yield made.by_sql(writes, f"{roles} {preview}", f"INSERT on TABLE {table}")
    yield made.by_sql(f"GRANT ROLE ANALYST TO ROLE {deploy}", f"{roles} {deploy}", "USAGE on ROLE ANALYST")
    made.sql("CREATE ROLE IF NOT EXISTS AUDITOR")
    yield made.by_sql(f"GRANT ROLE {deploy} TO ROLE AUDITOR", f"{roles} {deploy}", "granted to role AUDITOR")
    keys = f"GRANT MODIFY PROGRAMMATIC AUTHENTICATION METHODS ON USER FIRNLINE_{up}_INGEST TO ROLE ANALYST"
    path = "MODIFY PROGRAMMATIC AUTHENTICATION METHODS to role ANALYST"
    yield made.by_sql(keys, f"snowflake service user FIRNLINE_{up}_INGEST", path)


def _settings(made: Made) -> Iterator[Change]:
    up = made.name.upper()
    schema, days = f"FIRNLINE_{up}.RAW", "DATA_RETENTION_TIME_IN_DAYS"
    path = "dataRetentionTimeInDays"
    yield made.by_sql(f"ALTER SCHEMA {schema} SET {days} = 0", f"snowflake schema {schema}", path)
    database = f"FIRNLINE_{up}"
    yield made.by_sql(f"ALTER DATABASE {database} SET {days} = 0", f"snowflake database {database}", path)
    ingest, reader = f"FIRNLINE_{up}_INGEST", f"FIRNLINE_{up}_READER"
    token = f"ALTER USER {ingest} ADD PROGRAMMATIC ACCESS TOKEN spare"
    yield made.by_sql(token, f"snowflake service user {ingest}", "programmatic access token")
    federated = f"ALTER USER {reader} SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = '{STRANGER}')"
    yield made.by_sql(federated, f"snowflake service user {reader}", "workload identity")
    null = f"ALTER TABLE {schema}.ORDERS ADD COLUMN SPARE VARCHAR NOT NULL"
    yield made.by_sql(null, f"snowflake table {schema}.ORDERS", "column SPARE nullable")


def _dev(made: Made) -> Iterator[Change]:
    schema = "FIRNLINE_DEV.RAW"
    yield made.by_sql(f"ALTER SCHEMA {schema} SET COMMENT = 'mine'", f"snowflake schema {schema}", "comment")
    stage = f"{schema}.ORDERS_DEAD_LETTERS"
    lent = f"GRANT READ ON STAGE {stage} TO ROLE ANALYST"
    yield made.by_sql(lent, f"snowflake stage {stage}", "READ to role ANALYST")
    monitored = f"GRANT OPERATE ON PIPE {stage} TO ROLE ANALYST"
    yield made.by_sql(monitored, f"snowflake pipe {stage}", "OPERATE to role ANALYST")
    inside = f"GRANT CREATE TABLE ON SCHEMA {schema} TO ROLE ANALYST"
    yield made.by_sql(inside, f"snowflake schema {schema}", "CREATE TABLE to role ANALYST")
    outside = "GRANT CREATE SCHEMA ON DATABASE FIRNLINE_DEV TO ROLE ANALYST"
    yield made.by_sql(outside, "snowflake database FIRNLINE_DEV", "CREATE SCHEMA to role ANALYST")


def _staging(made: Made) -> Iterator[Change]:
    pipe, fixed = "FIRNLINE_STAGING.RAW.CLICKS_TYPED", "FIRNLINE_STAGING.RAW.CLICKS"
    clicks = f"snowflake table {fixed}"
    yield made.by_sql(f"ALTER PIPE {pipe} SET COMMENT = 'mine'", f"snowflake pipe {pipe}", "comment")
    paused = f"ALTER PIPE {pipe} SET PIPE_EXECUTION_PAUSED = TRUE"
    yield made.by_sql(paused, f"snowflake pipe {pipe}", "executionState")
    yield made.by_sql(f"ALTER TABLE {fixed} ADD COLUMN SPARE VARCHAR", clicks, "column SPARE")
    yield made.by_sql(f"ALTER TABLE {fixed} DROP COLUMN PAGE", clicks, "column PAGE")
    made.sql(f"ALTER TABLE {fixed} DROP COLUMN CLICKED_AT")
    yield made.by_sql(f"ALTER TABLE {fixed} ADD COLUMN CLICKED_AT VARCHAR", clicks, "column CLICKED_AT")
    taken = f"REVOKE INSERT ON TABLE {fixed} FROM ROLE FIRNLINE_STAGING_INGEST_CLICKS"
    own = "FIRNLINE_STAGING_INGEST_CLICKS"
    yield made.by_sql(taken, GRANT.format(f"{own}-table-FIRNLINE_STAGING.RAW.CLICKS"), "privileges")
    yield made.by_sql(f"ALTER USER {own} SET DISABLED = TRUE", f"snowflake service user {own}", "disabled")
    others = "FIRNLINE_STAGING.RAW.ORDERS"
    more = f"GRANT SELECT ON TABLE {others} TO ROLE {own}"
    yield made.by_sql(more, f"snowflake account role {own}", f"SELECT on TABLE {others}")


GRANT = "snowflake grant privileges to account role landing-grant-{}"


def _prod(made: Made) -> Iterator[Change]:
    schema = "FIRNLINE_PROD"
    lake, network, volume = f"{schema}.LAKE.CLICKS", "FIRNLINE_PROD_NETWORK", "FIRNLINE_PROD_LAKE"
    off = f"ALTER ICEBERG TABLE {lake} SET ERROR_LOGGING = FALSE"
    yield made.by_sql(off, f"snowflake iceberg table {lake}", "ERROR_LOGGING")
    opened = f"ALTER NETWORK POLICY {network} SET ALLOWED_IP_LIST = ('0.0.0.0/0')"
    yield made.by_sql(opened, f"snowflake network policy {network}", "allowedIpLists")
    users = f"snowflake service user {schema}_INGEST"
    yield made.by_sql(f"ALTER USER {schema}_INGEST UNSET NETWORK_POLICY", users, "networkPolicy")
    attached = "snowflake user authentication policy attachment landing-user-FIRNLINE_PROD_READER-authentication-policy"
    yield made.by_sql(f"ALTER USER {schema}_READER UNSET AUTHENTICATION POLICY", attached, "exists")
    policy = f"{schema}.RAW.FIRNLINE_PROD_KEY_PAIR_ONLY"
    any_method = f"ALTER AUTHENTICATION POLICY {policy} SET AUTHENTICATION_METHODS = ('ALL')"
    yield made.by_sql(any_method, f"snowflake authentication policy {policy}", "authenticationMethods")
    closed = f"ALTER EXTERNAL VOLUME {volume} SET ALLOW_WRITES = FALSE"
    yield made.by_sql(closed, f"snowflake external volume {volume}", "allowWrites")
    lent = f"GRANT USAGE ON EXTERNAL VOLUME {volume} TO ROLE ANALYST"
    yield made.by_sql(lent, f"snowflake external volume {volume}", "USAGE to role ANALYST")
    warehouse = "FIRNLINE_PROD_INTERACTIVE"
    quick = f"snowflake warehouse interactive {warehouse}"
    yield made.by_sql(f"ALTER WAREHOUSE {warehouse} SET WAREHOUSE_SIZE = 'LARGE'", quick, "warehouseSize")
    yield made.by_sql(f"ALTER WAREHOUSE {warehouse} DROP TABLES ({schema}.LIVE.PRICES)", quick, "tables")
    used = f"GRANT OPERATE ON WAREHOUSE {warehouse} TO ROLE ANALYST"
    yield made.by_sql(used, quick, "OPERATE to role ANALYST")


def losses(made: Made) -> Iterator[Change]:
    """What is dropped, replaced, or given to another owner."""
    up = made.name.upper()
    table = f"FIRNLINE_{up}.RAW.ORDERS"
    if made.name == "dev":
        yield made.by_sql(f"DROP TABLE {table}", f"snowflake table {table}", "exists")
    if made.name == "staging":
        pipe = "FIRNLINE_STAGING.RAW.CLICKS_TYPED"
        yield made.by_sql(f"DROP PIPE {pipe}", f"snowflake pipe {pipe}", "exists")
        reader, user = "FIRNLINE_STAGING_READER", "snowflake service user FIRNLINE_STAGING_READER"
        yield made.by_sql(f"ALTER USER {reader} SET TYPE = LEGACY_SERVICE", user, "userType")
        yield made.by_sql(f"ALTER USER {reader} SET PASSWORD = 'correct-Horse-7'", user, "password")
        moved = f"GRANT OWNERSHIP ON TABLE {table} TO ROLE ANALYST COPY CURRENT GRANTS"
        yield made.by_sql(moved, f"snowflake table {table}", "owner")
