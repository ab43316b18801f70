"""The directory of objects: finds, creates, renames, drops and undrops them, and keeps the store in step.

Not thread-safe by itself: callers hold the catalog's lock. Nothing here asks who may do what.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count
from typing import Any, TypeVar

from firnline_local.snowflake.catalog import kinds, objects
from firnline_local.snowflake.catalog.errors import AlreadyExists, CompilationFault, DoesNotExist
from firnline_local.snowflake.catalog.grants import Grant, Grants, RoleGrant
from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.catalog.objects import Account, CatalogObject, Database, Role, Schema, Warehouse
from firnline_local.snowflake.catalog.store import Store
from firnline_local.snowflake.catalog.tables import DEFAULT_PIPE_COMMENT, DEFAULT_SUFFIX, Pipe, Table
from firnline_local.snowflake.catalog.users import KEY_SLOTS, PublicKey, User

Made = TypeVar("Made", bound=CatalogObject)

PUBLIC_SCHEMA = "PUBLIC"
ADMIN_USER = "FIRNLINE_ADMIN"
WAREHOUSE = "COMPUTE_WH"


class Directory:
    """The objects of one account."""

    def __init__(self, account_name: str, grants: Grants, store: Store, clock: Callable[[], datetime]) -> None:
        self._ids = count(1)
        self._grants = grants
        self._store = store
        self._clock = clock
        self.account = Account(id=next(self._ids), name=account_name, container=None, owner=None, created_on=clock())

    def next_id(self) -> int:
        return next(self._ids)

    def find(self, kind: ObjectKind, path: Sequence[str]) -> CatalogObject | None:
        """Finds an object by kind and stored names: one for a database or an account object, two for a schema, three for a
        table."""
        found: CatalogObject | None = self.account
        for step, name in zip(_kinds_down_to(kind), path, strict=True):
            found = _inside(found, step, name) if found is not None else None
        return found

    def create(
        self,
        made: type[Made],
        name: str,
        *,
        container: CatalogObject,
        owner: Role | None,
        replace: bool = False,
        future_grants: bool = True,
        **more: Any,
    ) -> Made:
        """Makes an object; `more` are the fields of its class. Raises AlreadyExists, unless it may replace."""
        siblings = container.of_kind(made.kind)
        if name in siblings and not replace:
            raise AlreadyExists(siblings[name].full_name)
        created = made(id=self.next_id(), name=name, container=container, owner=owner, created_on=self._clock(), **more)
        if isinstance(created, Table):
            self._store.create_table(created)
        if name in siblings:
            self.drop(siblings[name])
        siblings[name] = created
        if future_grants:
            self._grant_what_was_promised(created)
        if isinstance(created, Database):
            self.create(Schema, PUBLIC_SCHEMA, container=created, owner=owner)
        return created

    def drop(self, found: CatalogObject, *, heir: Role | None = None) -> None:
        """Takes an object away, with all that is inside it. `heir` owns what a dropped role owned."""
        container = _container_of(found)
        del container.of_kind(found.kind)[found.name]
        container.dropped.append(found)
        if isinstance(found, Role | User):
            self._grants.forget(found)
        if isinstance(found, Role):
            for owned in self.account.walk():
                owned.owner = heir if owned.owner is found else owned.owner

    def undrop(self, kind: ObjectKind, container: CatalogObject, name: str) -> CatalogObject:
        """Brings back what was dropped last under this name, with its rows and grants."""
        if name in container.of_kind(kind):
            raise AlreadyExists(display(*container.path, name))
        for found in reversed(container.dropped):
            if found.kind is kind and found.name == name:
                container.dropped.remove(found)
                container.of_kind(kind)[name] = found
                return found
        raise DoesNotExist(kind.name, display(name))

    def rename(self, found: CatalogObject, name: str, *, container: CatalogObject | None = None) -> None:
        """Gives another name, and for what is in a schema possibly another schema."""
        target = container or _container_of(found)
        if name in target.of_kind(found.kind):
            raise AlreadyExists(target.of_kind(found.kind)[name].full_name)
        del _container_of(found).of_kind(found.kind)[found.name]
        found.name, found.container = name, target
        target.of_kind(found.kind)[name] = found
        if isinstance(found, Table):
            _rename_default_pipe(found)

    def swap(self, one: Table, other: Table) -> None:
        """Each gets the other's name and place; whatever else they are stays with them, also who may do what with them."""
        (one.name, one.container), (other.name, other.container) = (
            (other.name, other.container),
            (one.name, one.container),
        )
        for table in (one, other):
            _container_of(table).of_kind(kinds.TABLE)[table.name] = table
            _rename_default_pipe(table)

    def default_pipe(self, table: Table) -> Pipe:
        """The table's own pipe, made when it is first asked for."""
        if table.default_pipe is None:
            table.default_pipe = Pipe(
                id=self.next_id(),
                name=f"{table.name}{DEFAULT_SUFFIX}",
                container=table.container,
                owner=None,
                created_on=self._clock(),
                table=table,
                definition="",
                comment=DEFAULT_PIPE_COMMENT,
                is_default=True,
            )
        return table.default_pipe

    def pipes_in(self, schema: Schema) -> list[Pipe]:
        """The pipes of a schema, with the default ones that have come to exist."""
        tables = [table for table in schema.of_kind(kinds.TABLE).values() if isinstance(table, Table)]
        made = [pipe for pipe in schema.of_kind(kinds.PIPE).values() if isinstance(pipe, Pipe)]
        return made + [table.default_pipe for table in tables if table.default_pipe is not None]

    def _grant_what_was_promised(self, created: CatalogObject) -> None:
        inside: CatalogObject | None = created.container
        while inside is not None:
            for future in self._grants.future_in(inside):
                if future.kind is created.kind and future.privilege == "OWNERSHIP":
                    created.owner = future.to
                elif future.kind is created.kind:
                    self._grants.allow(
                        Grant(
                            privilege=future.privilege,
                            on=created,
                            to=future.to,
                            grant_option=future.grant_option,
                            granted_by=created.owner_name,
                            created_on=created.created_on,
                        )
                    )
            inside = inside.container


def _inside(container: CatalogObject, kind: ObjectKind, name: str) -> CatalogObject | None:
    """A default pipe is found, once it has come to exist, though its schema doesn't list it."""
    found = container.of_kind(kind).get(name)
    if found is None and kind is kinds.PIPE and name.endswith(DEFAULT_SUFFIX):
        table = container.of_kind(kinds.TABLE).get(name.removesuffix(DEFAULT_SUFFIX))
        return table.default_pipe if isinstance(table, Table) else None
    return found


def _kinds_down_to(kind: ObjectKind) -> tuple[ObjectKind, ...]:
    match kind.scope:
        case kinds.Scope.SCHEMA:
            return kinds.DATABASE, kinds.SCHEMA, kind
        case kinds.Scope.DATABASE:
            return kinds.DATABASE, kind
        case _:
            return (kind,)


def _rename_default_pipe(table: Table) -> None:
    if table.default_pipe is not None:
        table.default_pipe.name, table.default_pipe.container = f"{table.name}{DEFAULT_SUFFIX}", table.container


def _container_of(found: CatalogObject) -> CatalogObject:
    if found.container is None:
        raise CompilationFault("The account can't be renamed or dropped.")
    return found.container


def seed_account(directory: Directory, grants: Grants, *, admin_public_key: str, now: datetime) -> None:
    """Fills an empty account with what every account begins with: system roles, an administrator, a warehouse."""
    account = directory.account
    made = {name: directory.create(Role, name, container=account, owner=None) for name in objects.SYSTEM_ROLES}
    account.owner = made[objects.ACCOUNTADMIN]
    for role, holder in objects.HIERARCHY.items():
        grants.give_role(RoleGrant(role=made[role], to=made[holder], granted_by="", created_on=now))
    for role, privileges in objects.ACCOUNT_PRIVILEGES.items():
        for privilege in privileges:
            grants.allow(
                Grant(privilege=privilege, on=account, to=made[role], grant_option=True, granted_by="", created_on=now)
            )
    directory.create(Warehouse, WAREHOUSE, container=account, owner=made[objects.SYSADMIN])
    admin = directory.create(
        User,
        ADMIN_USER,
        container=account,
        owner=made[objects.ACCOUNTADMIN],
        properties={"DEFAULT_ROLE": objects.ACCOUNTADMIN, "DEFAULT_WAREHOUSE": WAREHOUSE},
        public_keys={KEY_SLOTS[0]: PublicKey.read(admin_public_key)},
    )
    grants.give_role(RoleGrant(role=made[objects.ACCOUNTADMIN], to=admin, granted_by="", created_on=now))
