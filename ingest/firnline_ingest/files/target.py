"""Which stage and which pipe carry files into a table, and whether the pipe loads a file in whole or not at all."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from firnline_ingest.files.errors import PipeUnusable
from firnline_ingest.identifiers import letters_pipe_name, quoted, written_name
from firnline_ingest.snowflake.listing import Listing, Statements

_ON_ERROR = re.compile(r"ON_ERROR\s*=\s*'?(\w+%?)", re.IGNORECASE)
_WANTED = {
    "a stage named like itself": re.compile(r"FROM\s+@", re.IGNORECASE),
    "MATCH_BY_COLUMN_NAME": re.compile(r"MATCH_BY_COLUMN_NAME\s*=\s*'?CASE_", re.IGNORECASE),
    "FILE_FORMAT with BINARY_FORMAT = BASE64": re.compile(r"BINARY_FORMAT\s*=\s*'?BASE64", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class FileTarget:
    """Stored names."""

    database: str
    schema: str
    table: str

    @property
    def name(self) -> str:
        """Of stage and pipe."""
        return letters_pipe_name(self.table)

    def sql(self, name: str) -> str:
        return ".".join(map(quoted, (self.database, self.schema, name)))

    @property
    def pipe(self) -> str:
        """As the REST path has it: case counts, quotes only where they have to be."""
        return ".".join(map(written_name, (self.database, self.schema, self.name)))

    @property
    def stage(self) -> str:
        return f"@{self.sql(self.name)}"


def pipe_created(session: Statements, target: FileTarget) -> datetime:
    """When the pipe was made: one that is made again has forgotten what it loaded.

    Raises PipeUnusable where there is none, or where it would load a part of a file or other values than are streamed.
    """
    found = Listing(session, "PIPES", [(target.database, target.schema, target.name)]).find(
        target.database, target.schema, target.name
    )
    if found is None:
        raise PipeUnusable(target.pipe, "it does not exist, or the role sees nothing of it")
    definition = str(found.get("definition") or "")
    if definition and (problem := _problem(definition)):
        raise PipeUnusable(target.pipe, problem)
    return _moment(found["created_on"])


def _problem(definition: str) -> str | None:
    """The role may see no definition; a file that was loaded in part is told all the same, and never taken for loaded."""
    on_error = _ON_ERROR.search(definition)
    if on_error and on_error[1].upper() != "SKIP_FILE":
        return f"it goes on after an error (ON_ERROR = {on_error[1]}), so a part of a letter could be in the table"
    return next((f"its definition lacks {what}" for what, form in _WANTED.items() if not form.search(definition)), None)


def _moment(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
