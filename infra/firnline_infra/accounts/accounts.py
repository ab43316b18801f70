"""Services that commands need of the two accounts.

RealAccounts is what everybody has. A package that brings accounts of another kind implements the same protocol, and says
how a person asks for them (AccountsPlace in the command line).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.specification.model import EnvironmentSpec

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

Rows = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class PulumiPlace:
    """The place of some accounts' stacks, and the CLI that runs them."""

    binary: Path
    """The Pulumi CLI."""
    project: Path
    """The folder of the program."""
    variables: Mapping[str, str]
    """All environment variables that the CLI runs with."""


@dataclass(frozen=True, kw_only=True)
class TerraformPlace:
    """The module of an environment that Terraform makes, and how it is run."""

    module: Path
    variables: Mapping[str, str]
    """Beside the process's own."""


class Accounts(Protocol):
    @property
    def place(self) -> str:
        """The accounts, in a person's words."""

    @property
    def begin_empty(self) -> bool:
        """True if each start of them has nothing of the one before: then a secret that is gone may be recreated."""

    @property
    def variables(self) -> Mapping[str, str]:
        """Environment variables by which the engine's own code finds AWS here; empty where it does by itself."""

    @property
    def engines_machine(self) -> Mapping[str, str]:
        """`python` and `architecture` of what runs engines here, where the specification does not say them; else empty."""

    def aws(self, service: str) -> Any:
        """A boto3 client."""

    def snowflake(self) -> "SnowflakeConnection":
        """A session of the deployer; the caller closes it."""

    def snowflake_as(self, *, user: str, role: str, private_key: str) -> "SnowflakeConnection":
        """A session of a service user, with a key that is in no file."""

    def key_file(self, spec: EnvironmentSpec, user: str) -> Path | None:
        """The file with the private key of a service user, where these accounts keep it on this machine."""

    def specification(self, spec_file: Path) -> Path:
        """The specification to use for `spec_file` here: itself, or a copy that names keys of these accounts."""

    def pulumi(self, stack: str, spec_file: Path) -> PulumiPlace | None:
        """Returns None for the committed program, with the CLI and the backend that the user has."""

    def terraform(self, stack: str, spec_file: Path) -> TerraformPlace | None:
        """Returns None if the environment is Pulumi's."""

    def engine_config(self, document: dict[str, Any], spec: EnvironmentSpec) -> dict[str, Any]:
        """The stack's engine configuration as an engine needs it to reach these accounts."""


def rows(connection: "SnowflakeConnection", statement: str) -> Rows:
    """The statement's rows by lower-cased column name. Raises SnowflakeRefused."""
    from snowflake.connector.errors import Error

    from firnline_ingest.snowflake.connection import rows_of

    try:
        return rows_of(connection, statement)
    except Error as error:
        raise SnowflakeRefused(statement, str(error), number=getattr(error, "errno", None)) from error


def current_role(connection: "SnowflakeConnection") -> str:
    """The name of the role that a session acts in. Raises SnowflakeRefused."""
    return str(rows(connection, "SELECT CURRENT_ROLE() AS ROLE")[0]["role"])


def rows_if_there(connection: "SnowflakeConnection", statement: str) -> Rows | None:
    """Returns None if the statement's object does not exist, or the role can't see it. Raises SnowflakeRefused."""
    try:
        return rows(connection, statement)
    except SnowflakeRefused as error:
        if error.is_about_something_missing:
            return None
        raise
