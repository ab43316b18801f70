"""The object of a request of the streaming API, read from its method and path.

Paths are read as they were sent: names are percent-encoded one by one, so an encoded slash belongs to a name.

From a key-pair JWT to a scoped token, and who may ingest through which pipe.

A client shows a scoped token to the ingest host, instead of its JWT. A token is bound to one user and one role, and
expires. Its form is a JWT signed with a secret of this process, because the SDK reads the expiry out of it; nothing else
depends on the form.

Privileges (documentation, `snowpipe-streaming-access-control`): USAGE on the database and the schema, INSERT on the table,
OPERATE on a user-defined pipe; nothing on a default pipe. USAGE on the volume that an Iceberg table is on.
What is missing and what may not be seen get the same answer: of the database, then of the schema, then of the table by a
default pipe, and of itself by any other.
"""

import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import unquote

import msgspec

from firnline_local.decoding import decoder_of
from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, CatalogObject, Pipe, Table, User, kinds
from firnline_local.snowflake.catalog.authentication import KeyPairToken
from firnline_local.snowflake.catalog.errors import DoesNotExist
from firnline_local.snowflake.catalog.names import read_path_segment
from firnline_local.snowflake.catalog.tables import DEFAULT_SUFFIX
from firnline_local.snowflake.streaming.errors import (
    ApiError,
    DatabaseNotFound,
    Malformed,
    NotAuthenticated,
    PipeNotFound,
    SchemaNotFound,
    TableNotFound,
)

PATH = re.compile(
    r"/v2/streaming/(?P<data>data/)?databases/(?P<database>[^/]+)/schemas/(?P<schema>[^/]+)"
    r"/(?P<kind>pipes|tables)/(?P<target>[^/:]+)"
    r"(?::(?P<question>pipe-info|bulk-channel-status)|(?:/channels/(?P<channel>[^/]+))?(?:/(?P<payload>rows|filebuffer))?)"
)
ELASTIC = "ELASTIC"


class Operation(StrEnum):
    """Named as faults name them, after `snowflake:`."""

    OPEN = "open"
    APPEND = "append"
    STATUS = "status"
    DROP = "drop"
    PIPE_INFO = "pipe-info"
    FILE_FRAGMENTS = "filebuffer"
    ELASTIC_APPEND = "elastic-append"


@dataclass(frozen=True)
class Address:
    """The parts of a path, decoded; a name is still spelled as the client spelled it."""

    operation: Operation
    database: str
    schema: str
    target: str
    """A pipe; for an elastic append it may be a table."""
    channel: str


def read_address(method: str, raw_path: str) -> Address | None:
    """Returns None if the API has nothing at this path."""
    match = PATH.fullmatch(raw_path)
    operation = _operation(method, match) if match else None
    if match is None or operation is None:
        return None
    return Address(operation, *(unquote(match[part] or "") for part in ("database", "schema", "target", "channel")))


def _operation(method: str, match: re.Match[str]) -> Operation | None:
    if match["channel"] == ELASTIC or match["kind"] == "tables":
        return Operation.ELASTIC_APPEND if match["payload"] == "rows" else None
    match (method, bool(match["data"]), bool(match["channel"]), match["question"], match["payload"]):
        case ("PUT", False, True, None, None):
            return Operation.OPEN
        case ("DELETE", False, True, None, None):
            return Operation.DROP
        case ("POST", True, True, None, "rows"):
            return Operation.APPEND
        case ("POST", True, True, None, "filebuffer"):
            return Operation.FILE_FRAGMENTS
        case ("POST", False, False, "bulk-channel-status", None):
            return Operation.STATUS
        case ("POST", False, False, "pipe-info", None):
            return Operation.PIPE_INFO
    return None


LIFETIME = timedelta(minutes=59)  # what Snowflake's own clients assume of the service's
HEADER = b'{"alg":"HS256","typ":"JWT"}'
JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
ROLE_SCOPE = "session:role:"


@dataclass(frozen=True)
class Identity:
    """The user and the role of a request."""

    user: str
    role: str


class _Claims(msgspec.Struct):
    sub: str
    role: str
    iat: int
    exp: int


class ScopedTokens:
    """Issues tokens and reads them back."""

    def __init__(self, clock: Callable[[], datetime], lifetime: timedelta = LIFETIME) -> None:
        self.lifetime = lifetime
        self._clock = clock
        self._secret = secrets.token_bytes(32)

    def issue(self, identity: Identity) -> str:
        now = self._clock()
        claims = _Claims(identity.user, identity.role, int(now.timestamp()), int((now + self.lifetime).timestamp()))
        signed = b".".join((_encode(HEADER), _encode(msgspec.json.encode(claims))))
        return b".".join((signed, self._signature(signed))).decode()

    def end(self) -> None:
        """Every token that was issued until now."""
        self._secret = secrets.token_bytes(32)

    def read(self, token: str) -> Identity:
        """Raises NotAuthenticated for a token that is not ours, was altered, or has expired."""
        signed, _, signature = token.encode().rpartition(b".")
        if not hmac.compare_digest(signature, self._signature(signed)):
            raise NotAuthenticated("Invalid OAuth access token.")
        payload = signed.partition(b".")[2]
        claims = decoder_of(_Claims).decode(urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))
        if claims.exp <= self._clock().timestamp():
            raise NotAuthenticated("OAuth access token expired.")
        return Identity(claims.sub, claims.role)

    def _signature(self, signed: bytes) -> bytes:
        return _encode(hmac.digest(self._secret, signed, "sha256"))


def _encode(value: bytes) -> bytes:
    return urlsafe_b64encode(value).rstrip(b"=")


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
    scope = str(KeyPairToken(jwt).claims.get("scp", ""))
    requested = read_path_segment(scope.removeprefix(ROLE_SCOPE)) if scope.startswith(ROLE_SCOPE) else None
    try:
        role = catalog.session_role(user, requested)
    except AuthenticationFailed as failed:
        raise NotAuthenticated(failed.message, code=failed.code) from failed
    return tokens.issue(Identity(user.name, role.name))


def pipe_for(catalog: Catalog, role: str, address: Address) -> Pipe:
    """The pipe, which may come to exist by this. Raises DatabaseNotFound, SchemaNotFound, TableNotFound or PipeNotFound. The
    caller holds the lock.
    """
    _require_place(catalog, role, address)
    table_name = _table_of_default_pipe(address.target)
    if table_name is not None:
        table = catalog.resolve_table(address.database, address.schema, table_name)
        if table is None or not may_insert(catalog, role, table):
            raise TableNotFound
    pipe = catalog.resolve_pipe(address.database, address.schema, address.target)
    if pipe is None or pipe.source is not None:
        raise missing(address)
    if not pipe.is_default and not _may(catalog, role, "OPERATE", pipe):
        raise PipeNotFound
    if not may_insert(catalog, role, pipe.table):
        raise TableNotFound
    return pipe


def _require_place(catalog: Catalog, role: str, address: Address) -> None:
    *place, _ = stored_path(address)
    for kind, depth, missing_one in ((kinds.DATABASE, 1, DatabaseNotFound), (kinds.SCHEMA, 2, SchemaNotFound)):
        found = catalog.directory.find(kind, place[:depth])
        if found is None or not _may(catalog, role, "USAGE", found):
            raise missing_one


def may_evolve(catalog: Catalog, role: str, table: Table) -> bool:
    """EVOLVE SCHEMA or, as everywhere, OWNERSHIP."""
    return _may(catalog, role, "EVOLVE SCHEMA", table)


def missing(address: Address) -> ApiError:
    return PipeNotFound() if _table_of_default_pipe(address.target) is None else TableNotFound()


def stored_path(address: Address) -> tuple[str, ...]:
    """The stored names of database, schema and pipe."""
    return tuple(read_path_segment(part) for part in (address.database, address.schema, address.target))


def may_insert(catalog: Catalog, role: str, table: Table) -> bool:
    """Returns whether the role may put rows into the table: by INSERT, and by USAGE of all that it lies in."""
    schema, volume = table.schema, None if table.iceberg is None else table.iceberg.external_volume
    return (
        _may(catalog, role, "USAGE", schema.database)
        and _may(catalog, role, "USAGE", schema)
        and _may(catalog, role, "INSERT", table)
        and (volume is None or _may(catalog, role, "USAGE", volume))
    )


def _may(catalog: Catalog, role: str, privilege: str, on: CatalogObject) -> bool:
    try:
        return catalog.has_privilege(role, privilege, on)
    except DoesNotExist:
        return False  # the role was dropped; its tokens outlive it


def _table_of_default_pipe(pipe: str) -> str | None:
    """The table's name as a path spells it: the suffix is inside the quotes of a quoted one."""
    quote = '"' if pipe.endswith('"') else ""
    body = pipe.removesuffix('"')
    return body[: -len(DEFAULT_SUFFIX)] + quote if body.upper().endswith(DEFAULT_SUFFIX) else None
