"""From a key-pair JWT to a scoped token: the only way to the ingest endpoints."""

from collections.abc import Mapping

from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, User
from firnline_local.snowflake.catalog.authentication import Token
from firnline_local.snowflake.catalog.names import read_path_segment
from firnline_local.snowflake.streaming.access.tokens import Identity, ScopedTokens
from firnline_local.snowflake.streaming.refusals import Malformed, NotAuthenticated

JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
ROLE_SCOPE = "session:role:"


def authenticated(catalog: Catalog, jwt: str) -> User:
    """Raises NotAuthenticated."""
    try:
        return catalog.authenticate(jwt)
    except AuthenticationFailed as failed:
        raise NotAuthenticated(failed.message, code=failed.code) from failed


def exchange_token(catalog: Catalog, tokens: ScopedTokens, form: Mapping[str, str], jwt: str) -> str:
    """A token for the role that the JWT names, which the user has to hold. Raises NotAuthenticated or Malformed."""
    if form.get("grant_type") != JWT_GRANT or not form.get("scope"):
        raise Malformed(f"The token exchange needs grant_type={JWT_GRANT} and the ingest host as scope.")
    user = authenticated(catalog, jwt)
    scope = str(Token(jwt).claims.get("scp", ""))
    requested = read_path_segment(scope.removeprefix(ROLE_SCOPE)) if scope.startswith(ROLE_SCOPE) else None
    try:
        role = catalog.session_role(user, requested)
    except AuthenticationFailed as failed:
        raise NotAuthenticated(failed.message, code=failed.code) from failed
    return tokens.issue(Identity(user.name, role.name))
