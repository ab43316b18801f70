"""One file into one table, by what its pipe says.

Rows are read as streamed ones are: what JSON becomes which column is the same in both (`data-load-transform`). A pipe acts
as its owner. ON_ERROR = SKIP_FILE, the default of pipes, loads all rows of a file or none.
"""

import gzip
import zlib
from datetime import datetime
from functools import partial

from firnline_local.snowflake.catalog import CaseClash, Catalog, DataFault, Pipe, Role
from firnline_local.snowflake.catalog.stages import FileLoad, FileSource, FirstError, LoadStatus, OnError
from firnline_local.snowflake.streaming.access import may_evolve
from firnline_local.snowflake.streaming.evolution import EvolutionRefused, can_hold, evolution_record, new_columns
from firnline_local.snowflake.streaming.reader import Batch, RowReader

GZIP_MAGIC = b"\x1f\x8b"


def load_file(catalog: Catalog, pipe: Pipe, path: str, *, size: int, received_at: datetime) -> FileLoad:
    """The caller holds the catalog's lock. Nothing is raised: what went wrong is in the answer."""
    now = catalog.clock()
    told = partial(FileLoad, path=path, size=size, received_at=received_at, loaded_at=now)
    try:
        batch, lines = _read(catalog, pipe, path)
        skipped = bool(batch.errors) and _source(pipe).on_error is OnError.SKIP_FILE
        rows = [] if skipped else batch.rows
        catalog.insert_rows(pipe.table, rows, committed_at=now)
    except (_NotLoadable, CaseClash, DataFault, EvolutionRefused) as error:
        return told(status=LoadStatus.LOAD_FAILED, errors=1, system_error=str(error))
    return told(
        status=_status(batch, skipped=skipped),
        rows_parsed=len(batch.rows) + len(batch.errors),
        rows_inserted=len(rows),
        errors=len(batch.errors),
        first_error=_first_error(batch, lines),
    )


class _NotLoadable(Exception):
    """The file, or its pipe, is in no state to be loaded."""


def _source(pipe: Pipe) -> FileSource:
    assert pipe.source is not None
    return pipe.source


def _read(catalog: Catalog, pipe: Pipe, path: str) -> tuple[Batch, list[bytes]]:
    """With the lines that it was read from."""
    source, owner = _source(pipe), pipe.owner
    file = source.stage.files.get(f"{source.path}{path}") if source.stage.is_live else None
    if file is None:
        raise _NotLoadable(f"Remote file '{path}' was not found.")
    if owner is None or not _may_load(catalog, owner, pipe):
        raise _NotLoadable("Insufficient privileges of the pipe's owner.")
    content = file.content
    if content.startswith(GZIP_MAGIC):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise _NotLoadable(f"Error while decompressing: {error}") from error
    evolves = pipe.table.enable_schema_evolution and may_evolve(catalog, owner.name, pipe.table)
    batch = _reader(pipe, evolves=evolves).read(content)
    if batch.wants_evolution and not batch.errors:
        _evolve(catalog, pipe, batch)
        batch = _reader(pipe, evolves=evolves).read(content)
    return batch, content.split(b"\n")


def _may_load(catalog: Catalog, owner: Role, pipe: Pipe) -> bool:
    needed = (("READ", _source(pipe).stage), ("INSERT", pipe.table), ("SELECT", pipe.table))
    return all(catalog.has_privilege(owner, privilege, on) for privilege, on in needed)


def _reader(pipe: Pipe, *, evolves: bool) -> RowReader:
    return RowReader(pipe.table.columns, match_case=pipe.match_by_column_name == "CASE_SENSITIVE", evolves=evolves)


def _evolve(catalog: Catalog, pipe: Pipe, batch: Batch) -> None:
    at = catalog.clock()
    unknown = {key: kinds for key, kinds in batch.unknown.items() if can_hold(pipe.table, kinds)}
    if columns := new_columns(unknown, match_case=pipe.match_by_column_name == "CASE_SENSITIVE"):
        catalog.add_columns(pipe.table, columns, evolution=evolution_record("ADD_COLUMN", at=at))
    for column in sorted(batch.omitted):
        catalog.drop_not_null(pipe.table, column, evolution=evolution_record("DROP_NOT_NULL", at=at))


def _status(batch: Batch, *, skipped: bool) -> LoadStatus:
    if not batch.errors:
        return LoadStatus.LOADED
    return LoadStatus.LOAD_FAILED if skipped or not batch.rows else LoadStatus.PARTIALLY_LOADED


def _first_error(batch: Batch, lines: list[bytes]) -> FirstError | None:
    if not batch.errors:
        return None
    first = batch.errors[0]
    payload = first.payload.encode()
    line = lines.index(payload) + 1 if payload in lines else 1
    return FirstError(message=first.message, line=line, column=first.column)
