"""A SQL session for a service user with a key: the one place that knows how each connector finds its certificates.

The connector is imported here, when a session is opened; it is not needed to load the engine.
"""

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from firnline_ingest.activity import waiting_for
from firnline_ingest.snowflake.errors import KeyRefused, LoginRefused, SnowflakeUnavailable
from firnline_ingest.snowflake.key import SigningKey

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

LOGIN_TIMEOUT_S = 20
JWT_INVALID = 390144
DOES_NOT_EXIST = {2003, 2043}  # "does not exist or not authorized", for an object and for what it is in
NO_ANSWER = "HTTP request failed after retries"  # connector 5 has no error number for it


def session_parameters() -> dict[str, str | bool]:
    """Returns those of every session, in a dictionary of its own: connector 4 writes into it what it is told at the login
    (`auth/_auth.py` of 4.0.0), and the next session of the process would begin with another account's or user's parameters.

    With QUOTED_IDENTIFIERS_IGNORE_CASE, which an account or a user may have TRUE, no object with small letters in its name
    would be found.
    """
    return {"QUERY_TAG": "firnline", "QUOTED_IDENTIFIERS_IGNORE_CASE": False}


def connect(
    *,
    account: str,
    user: str,
    role: str,
    url: str,
    key: SigningKey,
    ca_file: Path | None = None,
    statement_timeout_s: int | None = None,
) -> "SnowflakeConnection":
    """Raises KeyRefused, SessionRefused or SnowflakeUnavailable. Call preflight.check_connection first: it tells DNS and
    certificates apart in seconds, where the connector keeps trying. Without a `statement_timeout_s`, it waits for an answer
    to a statement for ever, as long queries need it.
    """
    os.environ.setdefault("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")  # it would ask the clouds' metadata hosts
    import snowflake.connector
    from snowflake.connector.errors import DatabaseError, Error, OperationalError

    parts = urlsplit(url)
    try:
        with waiting_for(f"Snowflake: a session of {user}"):
            return snowflake.connector.connect(
                account=account,
                user=user,
                role=role,
                host=parts.hostname,
                port=parts.port or 443,
                protocol=parts.scheme,
                authenticator="SNOWFLAKE_JWT",
                private_key=key.der(),
                login_timeout=LOGIN_TIMEOUT_S,
                session_parameters=session_parameters(),
                **_for_version(snowflake.connector.__version__, ca_file, statement_timeout_s),
            )
    except OperationalError as error:
        raise SnowflakeUnavailable("open a session", str(error)) from error
    except DatabaseError as error:
        if error.errno == JWT_INVALID:
            raise KeyRefused(user, key.fingerprint, str(error)) from error
        if NO_ANSWER in str(error):
            raise SnowflakeUnavailable("open a session", str(error)) from error
        raise LoginRefused(user, role, str(error)) from error
    except Error as error:
        raise SnowflakeUnavailable("open a session", str(error)) from error


def rows_of(connection: "SnowflakeConnection", statement: str) -> list[dict[str, Any]]:
    """Returns what the statement answers, by lower-cased name of the column. Errors are the connector's."""
    with waiting_for(f"Snowflake: {statement}"), closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        names = [column[0].lower() for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _for_version(version: str, ca_file: Path | None, statement_timeout_s: int | None) -> dict[str, Any]:
    """Connector 5 takes the authorities as a parameter, connector 4 from the environment of its HTTP library."""
    if int(version.partition(".")[0]) >= 5:
        trust = {"custom_root_store_path": str(ca_file)} if ca_file else {}
        limit = {name: statement_timeout_s for name in ("query_timeout", "request_timeout") if statement_timeout_s}
        # Closing logs out: no query outlives us.
        return {**trust, **limit, "enable_server_session_keep_alive_auto_detection": False}
    if ca_file:
        os.environ["REQUESTS_CA_BUNDLE"] = str(ca_file)
    return {"network_timeout": statement_timeout_s} if statement_timeout_s else {}
