"""The account: what exists, who may do what, and the way to every row.

Both services, SQL and streaming, work on one Catalog. Every public method takes the lock by itself; a caller that needs
several answers to fit together holds `catalog.lock` around them (the same thread may take it again).
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.authentication import KeyPairToken, check_admission, invalid_token
from firnline_local.snowflake.catalog.directory import Directory, seed_account
from firnline_local.snowflake.catalog.errors import AuthenticationFailed, CaseClash, DoesNotExist
from firnline_local.snowflake.catalog.grants import Grants
from firnline_local.snowflake.catalog.names import display, read_path_segment
from firnline_local.snowflake.catalog.objects import PUBLIC, Account, CatalogObject, Role
from firnline_local.snowflake.catalog.storage import VolumeAccess, no_aws
from firnline_local.snowflake.catalog.store import Store
from firnline_local.snowflake.catalog.tables import DEFAULT_SUFFIX, Channel, Column, ErrorRow, Pipe, Table
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.catalog.users import User


class Catalog:
    """One account with its system roles, the user FIRNLINE_ADMIN (ACCOUNTADMIN) and the warehouse COMPUTE_WH."""

    def __init__(
        self,
        account: str,
        *,
        admin_public_key: str,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        volume_access: VolumeAccess = no_aws,
    ) -> None:
        """`account` is its identifier as clients write it; `admin_public_key` is PEM, or its base64 body."""
        self.clock = clock
        self.volume_access = volume_access
        self.lock = RLock()
        self.grants = Grants()
        self.store = Store()
        self.directory = Directory(account.upper(), self.grants, self.store, clock)
        self.channels: dict[tuple[int, str], Channel] = {}
        """By pipe id and a name that is the streaming service's affair. Where the pipe is gone, they aren't listed."""
        self.dynamic_tables: list[Table] = []
        """Those that were made; dropped ones among them."""
        seed_account(self.directory, self.grants, admin_public_key=admin_public_key, now=clock())

    @property
    def account(self) -> Account:
        return self.directory.account

    def close(self) -> None:
        """Frees the rows."""
        self.store.close()

    def authenticate(self, jwt_text: str) -> User:
        """The user whose registered key signed the token, if its policies let it in.

        Raises AuthenticationFailed (codes 390144, 390101, 390422, 390202).
        """
        token = KeyPairToken(jwt_text)
        with self.lock:
            user = self._user_named(token.user)
            key = user.key_for(token.fingerprint) if user else None
        if user is None:
            raise invalid_token(f"no user is called {token.user}")
        if key is None:
            raise invalid_token(f"{token.fingerprint} is not registered with the user {user.name}")
        token.check(key, account=self.account.name, now=self.clock())
        if user.disabled:
            message = "User access disabled. Contact your local system administrator."
            raise AuthenticationFailed(message, reason=f"{user.name} is disabled", code="390101")
        with self.lock:
            check_admission(user, self.directory)
        return user

    def session_role(self, user: User, requested: str | None = None) -> Role:
        """The role that a session of the user acts in: `requested` (stored name), else the default one, else PUBLIC.

        Raises AuthenticationFailed (code 390189) for a role that doesn't exist or that the user doesn't hold.
        """
        name = requested or user.default_role or PUBLIC
        with self.lock:
            role = self.directory.find(kinds.ROLE, (name,))
            if isinstance(role, Role) and self.holds(user, role):
                return role
        raise AuthenticationFailed(
            f"Role '{name}' specified in the connect string does not exist or not authorized. Contact your local "
            f"system admin, or attempt to login with another role, e.g. PUBLIC.",
            reason=f"{user.name} doesn't hold {name}",
            code="390189",
        )

    def holds(self, user: User, role: Role) -> bool:
        """Returns whether the user may act in the role: it was granted it, or a role above it."""
        with self.lock:
            return role.name == PUBLIC or any(
                role in self.grants.effective(grant.role) for grant in self.grants.roles_of(user)
            )

    def has_privilege(self, role: Role | str, privilege: str, on: CatalogObject) -> bool:
        """Returns whether the role may, by itself or through roles that it holds. `on` may be any object, also the account."""
        with self.lock:
            return self.grants.has_privilege(self._role(role), privilege, on)

    def sees(self, role: Role | str, found: CatalogObject) -> bool:
        """Returns whether the role may know that the object exists: any privilege on it and on what contains it."""
        with self.lock:
            acting = self._role(role)
            above = found.container
            if above is not None and above.kind is not kinds.ACCOUNT and not self.sees(acting, above):
                return False
            if isinstance(found, Pipe) and found.is_default:
                return self.grants.has_any_privilege(acting, found.table)
            return found.kind is kinds.ROLE or self.grants.has_any_privilege(acting, found)

    def resolve_table(self, database: str, schema: str, table: str) -> Table | None:
        """The names are segments of a REST path here and in `resolve_pipe`: upper-cased unless quoted."""
        with self.lock:
            found = self.directory.find(kinds.TABLE, [read_path_segment(part) for part in (database, schema, table)])
            return found if isinstance(found, Table) else None

    def resolve_pipe(self, database: str, schema: str, pipe: str) -> Pipe | None:
        """The pipe, unless its table is gone. `<TABLE>-STREAMING` comes to exist here, on the first request for it."""
        path = [read_path_segment(part) for part in (database, schema, pipe)]
        with self.lock:
            found = self.directory.find(kinds.PIPE, path)
            if isinstance(found, Pipe):
                return found if found.is_live else None
            if not path[2].endswith(DEFAULT_SUFFIX):
                return None
            table = self.directory.find(kinds.TABLE, [*path[:2], path[2].removesuffix(DEFAULT_SUFFIX)])
            return self.directory.default_pipe(table) if isinstance(table, Table) else None

    def insert_rows(self, table: Table, rows: Sequence[dict[str, Any]], *, committed_at: datetime) -> None:
        """Makes rows visible, all at once, in their order; at least 20,000 a second for ten columns.

        Keys are stored column names. A key that is left out takes the column's default (or NULL), None is NULL. Values
        have been converted: NUMBER int or Decimal that fits precision and scale, FLOAT float, VARCHAR str, BOOLEAN
        bool, BINARY bytes, DATE date, TIME time, TIMESTAMP_NTZ naive and TIMESTAMP_LTZ/TZ aware datetime, and for
        VARIANT, OBJECT and ARRAY the JSON text (a JSON null is the text "null"). Raises DataFault, having inserted
        nothing, for a value that doesn't fit its column or a NULL where none may be.
        """
        with self.lock:
            self.store.insert_rows(table, rows, committed_at=committed_at)

    def insert_errors(self, table: Table, errors: Sequence[ErrorRow]) -> None:
        """Adds to the table's error table; without ERROR_LOGGING there is none, and this does nothing."""
        with self.lock:
            if table.error_logging:
                self.store.insert_errors(table, errors)

    def add_columns(
        self, table: Table, columns: Sequence[tuple[str, DataType | str]], *, evolution: str | None = None
    ) -> None:
        """Adds nullable columns, (stored name, type); `evolution` is their SchemaEvolutionRecord, JSON text.

        Raises CaseClash, having added nothing, for a name that another column has in this or another case.
        """
        kinds = [DataType.parse(kind) if isinstance(kind, str) else kind for _, kind in columns]
        added = [
            Column(name=name, type=kind.in_iceberg() if table.iceberg else kind, evolution=evolution)
            for (name, _), kind in zip(columns, kinds, strict=True)
        ]
        self.append_columns(table, added)

    def append_columns(self, table: Table, columns: Sequence[Column]) -> None:
        """Adds columns with all that they may have. Raises CaseClash, having added nothing."""
        with self.lock:
            refuse_case_clash(table.full_name, [*table.columns, *columns])
            self.store.add_columns(table, columns)
            table.columns.extend(columns)

    def drop_not_null(self, table: Table, column: str, *, evolution: str | None = None) -> None:
        """Lets a column hold NULLs, as schema evolution does when a row lacks it."""
        with self.lock:
            found = table.column(column)
            if found is None:
                raise DoesNotExist("column", display(column))
            if not found.nullable:
                self.store.set_nullable(table, found, nullable=True)
                found.nullable, found.evolution = True, evolution

    def _role(self, role: Role | str) -> Role:
        if isinstance(role, Role):
            return role
        found = self.directory.find(kinds.ROLE, (role,))
        if not isinstance(found, Role):
            raise DoesNotExist("role", display(role))
        return found

    def _user_named(self, name: str) -> User | None:
        """Finds a user by name or login name; clients upper-case what they put into a token."""
        users = (user for user in self.account.of_kind(kinds.USER).values() if isinstance(user, User))
        return next((user for user in users if name.upper() in (user.name.upper(), user.login_name)), None)


def refuse_case_clash(table: str, columns: Sequence[Column]) -> None:
    seen: dict[str, str] = {}
    for column in columns:
        if column.name.casefold() in seen:
            raise CaseClash(table, seen[column.name.casefold()])
        seen[column.name.casefold()] = column.name
