"""Errors of the embedded Snowflake when it can't carry out a statement.

    SqlError                    code, SQL state and text as Snowflake gives them
    ├── SyntaxFault             001003
    ├── CompilationFault        002140: well formed, and senseless
    ├── InvalidIdentifier       000904
    ├── DoesNotExist            002003: drivers and providers decide by its text
    ├── AlreadyExists           002002
    ├── InsufficientPrivileges  003001
    ├── WrongKind               002203
    ├── InUse                   001492
    ├── AnswerTooLong           090153: SHOW without LIMIT
    ├── NoCurrentDatabase       090105
    ├── NoWarehouse             000606
    ├── Cancelled               000604
    ├── DataFault               100038 and its like: a value that doesn't fit
    └── Refusal                 ours, each with an id: what a real account may do and this one doesn't
        ├── NotKnown            FL-6040
        ├── NotExact            FL-6042
        ├── TooLarge            FL-6043
        └── CaseClash           FL-6044
    AuthenticationFailed        390144 and its like: no session comes to exist

They are answers of a service, not errors of ours, so they carry no next step; a refusal says one in its text.
"""

from typing import ClassVar


class SqlError(Exception):
    """A statement that failed."""

    code: str = "000603"
    sql_state: str = "42000"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SyntaxFault(SqlError):
    code = "001003"

    def __init__(self, *, line: int, position: int, unexpected: str) -> None:
        super().__init__(
            f"SQL compilation error:\nsyntax error line {line} at position {position} unexpected '{unexpected}'."
        )


class CompilationFault(SqlError):
    """A statement that is well formed and makes no sense."""

    code = "002140"

    def __init__(self, what: str) -> None:
        super().__init__(f"SQL compilation error:\n{what}")


class InvalidIdentifier(SqlError):
    code = "000904"

    def __init__(self, text: str) -> None:
        super().__init__(f"SQL compilation error:\ninvalid identifier '{text}'")


class DoesNotExist(SqlError):
    """The object may also exist out of the role's sight: Snowflake doesn't tell the two apart, and neither do we."""

    code = "002003"
    sql_state = "42S02"

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"SQL compilation error:\n{kind.capitalize()} '{name}' does not exist or not authorized.")


class AlreadyExists(SqlError):
    code = "002002"
    sql_state = "42710"

    def __init__(self, name: str) -> None:
        super().__init__(f"SQL compilation error:\nObject '{name}' already exists.")


class InsufficientPrivileges(SqlError):
    code = "003001"
    sql_state = "42501"

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"SQL access control error:\nInsufficient privileges to operate on {kind.lower()} '{name}'.")


class WrongKind(SqlError):
    """A standard table where an Iceberg one was named, and the like."""

    code = "002203"
    sql_state = "02000"

    def __init__(self, *, found: str, named: str) -> None:
        super().__init__(f"SQL compilation error:\nObject found is of type '{found}', not specified type '{named}'.")


class InUse(SqlError):
    """An object on which others rely can't be dropped."""

    code = "001492"
    sql_state = "42601"

    def __init__(self, kind: str, name: str, users: str) -> None:
        super().__init__(
            f"SQL compilation error:\n{kind.capitalize()} '{name}' cannot be dropped because it is associated with one "
            f"or more entities: {users}."
        )


class AnswerTooLong(SqlError):
    """SHOW would have more rows than it gives, and was given no LIMIT: the text of a public report."""

    code = "090153"
    sql_state = "22000"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The result set size exceeded the max number of rows({most}) supported for SHOW statements. "
            "Use LIMIT option to limit result set to a smaller number."
        )


class NoCurrentDatabase(SqlError):
    code = "090105"
    sql_state = "22000"

    def __init__(self, operation: str, *, missing: str) -> None:
        super().__init__(
            f"Cannot perform {operation}. This session does not have a current {missing}. "
            f"Call 'USE {missing.upper()}', or use a qualified name."
        )


class NoWarehouse(SqlError):
    code = "000606"
    sql_state = "57P03"

    def __init__(self) -> None:
        super().__init__(
            "No active warehouse selected in the current session.  "
            "Select an active warehouse with the 'use warehouse' command.\n"
        )


class DataFault(SqlError):
    """A value that can't go where the statement wants it."""

    code = "100038"
    sql_state = "22018"


class Cancelled(SqlError):
    """The client has asked to stop."""

    code = "000604"
    sql_state = "57014"

    def __init__(self) -> None:
        super().__init__("SQL execution canceled")


class Refusal(SqlError):
    """Something that a real account may well do, and that is refused here rather than answered with a guess."""

    code = "000002"
    sql_state = "0A000"
    id: ClassVar[str]

    def __init__(self, what: str) -> None:
        super().__init__(f"[{self.id}] {what}")


class NotKnown(Refusal):
    """A statement, clause, function or type that nothing here knows. See docs/embedded-snowflake.md, FL-6040."""

    id = "FL-6040"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The embedded Snowflake does not know: {what} (docs/embedded-snowflake.md lists what it does)."
        )


class NotExact(Refusal):
    """A number that the embedded Snowflake can't state exactly. See docs/embedded-snowflake.md, FL-6042."""

    id = "FL-6042"


class TooLarge(Refusal):
    """A result with more rows than the embedded Snowflake sends. See docs/embedded-snowflake.md, FL-6043."""

    id = "FL-6043"


class CaseClash(Refusal):
    """Two columns of one table that differ only in case. See docs/embedded-snowflake.md, FL-6044."""

    id = "FL-6044"

    def __init__(self, table: str, column: str) -> None:
        super().__init__(
            f"{table} can't have a second column that differs from {column} only in case: the embedded Snowflake keeps "
            f"rows in DuckDB, whose column names ignore it. A real account could. Rename one of them."
        )


class AuthenticationFailed(Exception):
    """A client could not prove its identity. `reason` goes to the server's log, `message` to the client."""

    def __init__(self, message: str, *, reason: str, code: str = "390144") -> None:
        super().__init__(f"{message} ({reason})")
        self.message = message
        self.reason = reason
        self.code = code
