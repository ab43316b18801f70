"""Statements without a server: a session of the administrator, in a database of its own, and of other roles."""

from dataclasses import dataclass

import pytest

from firnline_local.snowflake.catalog import Catalog, Role, SqlError, User
from firnline_local.snowflake.catalog.directory import ADMIN_USER
from firnline_local.snowflake.sql.execute import execute
from firnline_local.snowflake.sql.query.lowering import install_macros
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.sessions import Session


@dataclass
class Sql:
    """One session."""

    catalog: Catalog
    session: Session

    def __call__(self, sql: str) -> Result:
        return execute(Context(self.catalog, self.session, self.catalog.clock(), "query-1"), sql)

    def run(self, *statements: str) -> None:
        for statement in statements:
            self(statement)

    def rows(self, sql: str) -> list[tuple[str | None, ...]]:
        return [tuple(row) for row in self(sql).rows]

    def value(self, sql: str) -> str | None:
        ((value,),) = self.rows(sql)
        return value

    def table(self, sql: str) -> list[dict[str, str | None]]:
        """The rows of a listing, by column name."""
        result = self(sql)
        names = [column.name for column in result.columns]
        return [dict(zip(names, row, strict=True)) for row in result.rows]

    def types(self, sql: str) -> list[str]:
        return [str(column.type) for column in self(sql).columns]

    def refusal(self, sql: str) -> SqlError:
        with pytest.raises(SqlError) as caught:
            self(sql)
        return caught.value

    def as_role(self, name: str) -> "Sql":
        """Another session of the same user, in another role, which it is given."""
        self(f'GRANT ROLE "{name}" TO USER {ADMIN_USER}')
        other = Sql(self.catalog, new_session(self.catalog))
        other(f'USE ROLE "{name}"')
        other.session.database, other.session.schema = self.session.database, self.session.schema
        return other


def new_session(catalog: Catalog) -> Session:
    user = next(found for found in catalog.account.walk() if isinstance(found, User) and found.name == ADMIN_USER)
    role = next(found for found in catalog.account.walk() if isinstance(found, Role) and found.name == "ACCOUNTADMIN")
    now = catalog.clock()
    return Session(id=1, token="t", master_token="m", user=user, role=role, expires_at=now, master_expires_at=now)


@pytest.fixture
def sql(catalog: Catalog) -> Sql:
    """In DB.PUBLIC, with a warehouse."""
    install_macros(catalog.store)
    session = Sql(catalog, new_session(catalog))
    session.run("USE WAREHOUSE COMPUTE_WH", "CREATE DATABASE DB")
    return session
