"""insertFiles, insertReport and loadHistoryScan (`user-guide/data-load-snowpipe-rest-apis`), from JSON to JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from firnline_local.decoding import decoder_of
from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, CatalogObject, Pipe, Role, kinds
from firnline_local.snowflake.catalog.names import PART
from firnline_local.snowflake.catalog.storage import FileLoad, LoadStatus
from firnline_local.snowflake.files.service import FileService, Invalid, PipeUnknown, Refused

MAX_FILES = 5_000
MAX_PATH_BYTES = 1_024
MAX_ENTRIES = 10_000
REPORT_MEMORY = timedelta(minutes=10)


@dataclass(frozen=True)
class FileCall:
    jwt: str
    pipe: str
    """As the path names it: case counts, quotes are allowed."""
    query: Mapping[str, str]
    body: bytes = b""


class _File(msgspec.Struct):
    path: str
    size: int | None = None


class _Files(msgspec.Struct):
    files: list[_File]


def insert_files(service: FileService, call: FileCall) -> dict[str, Any]:
    pipe = _pipe(service.catalog, call, "OPERATE")
    service.submit(pipe, [(file.path, file.size or 0) for file in _files(call)])
    return {"requestId": call.query.get("requestId"), "status": "success"}


def _files(call: FileCall) -> Sequence[_File]:
    try:
        files = decoder_of(_Files).decode(call.body).files
    except msgspec.MsgspecError as error:
        raise Invalid(f"The request is malformed: {error}") from error
    if len(files) > MAX_FILES:
        raise Invalid(f"{len(files)} files are more than {MAX_FILES}.")
    if any(not 0 < len(file.path.encode()) <= MAX_PATH_BYTES for file in files):
        raise Invalid(f"A path has 1 to {MAX_PATH_BYTES} bytes.")
    return files


def insert_report(service: FileService, call: FileCall) -> dict[str, Any]:
    """Returns what was loaded lately; events that were not fetched in time are gone."""
    pipe = _pipe(service.catalog, call, "MONITOR")
    now = service.catalog.clock()
    with service.catalog.lock:
        total = pipe.loads.forgotten + len(pipe.loads.entries)
        lasting = [load for load in pipe.loads.entries[-MAX_ENTRIES:] if load.loaded_at > now - REPORT_MEMORY]
    first = total - len(lasting)
    mark = _mark(call.query.get("beginMark"))
    seen = max(mark, first) if mark is not None else first
    return {
        "pipe": pipe.full_name,
        "completeResult": mark is None or mark >= first,
        "nextBeginMark": f"1_{total}",
        "files": [_as_shown(pipe, load) for load in lasting[seen - first :]],
    }


def _mark(text: str | None) -> int | None:
    if text is None:
        return None
    version, _, number = text.partition("_")
    if version != "1" or not number.isdecimal():
        raise Invalid(f"{text} is not a beginMark.")
    return int(number)


def load_history_scan(service: FileService, call: FileCall) -> dict[str, Any]:
    pipe = _pipe(service.catalog, call, "MONITOR")
    service.count_scan(pipe)
    now = service.catalog.clock()
    start = _time(call.query.get("startTimeInclusive"), "startTimeInclusive")
    end = (
        _time(call.query["endTimeExclusive"], "endTimeExclusive")
        if "endTimeExclusive" in call.query
        else now + timedelta.resolution
    )
    with service.catalog.lock:
        found = [load for load in pipe.loads.since(now) if start <= load.loaded_at < end]
    shown = found[:MAX_ENTRIES]
    return {
        "pipe": pipe.full_name,
        "completeResult": len(found) == len(shown),
        "startTimeInclusive": _written(start),
        "endTimeExclusive": _written(end),
        "rangeStartTime": _written(shown[0].loaded_at if shown else start),
        "rangeEndTime": _written(shown[-1].loaded_at if shown else end),
        "files": [_as_shown(pipe, load) for load in shown],
    }


def _time(text: str | None, name: str) -> datetime:
    try:
        read = datetime.fromisoformat(text or "")
    except ValueError:
        raise Invalid(f"{name} is not a time in ISO 8601: {text}") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _as_shown(pipe: Pipe, load: FileLoad) -> dict[str, Any]:
    assert pipe.source is not None
    shown: dict[str, Any] = {
        "path": load.path,
        "stageLocation": f"stages/{pipe.source.stage.id}/{pipe.source.path}",
        "fileSize": load.size,
        "timeReceived": _written(load.received_at),
        "lastInsertTime": _written(load.loaded_at),
        "rowsInserted": load.rows_inserted,
        "rowsParsed": load.rows_parsed,
        "errorsSeen": load.errors,
        "errorLimit": 1,
        "complete": load.status is LoadStatus.LOADED,
        "status": str(load.status),
    }
    if load.first_error:
        shown |= {
            "firstError": load.first_error.message,
            "firstErrorLineNum": load.first_error.line,
            "firstErrorCharacterPos": 0,
            "firstErrorColumnName": load.first_error.column,
        }
    return shown | ({"systemError": load.system_error} if load.system_error else {})


def _pipe(catalog: Catalog, call: FileCall, privilege: str) -> Pipe:
    """Raises Refused; PipeUnknown, also where the user's default role lacks a privilege on the way."""
    with catalog.lock:
        try:
            role = catalog.session_role(catalog.authenticate(call.jwt))
        except AuthenticationFailed as failed:
            raise Refused(failed.message, failed.code) from failed
        found = catalog.directory.find(kinds.PIPE, _names(call.pipe))
        if not isinstance(found, Pipe) or found.source is None or not found.is_live:
            raise PipeUnknown
        table, stage = found.table, found.source.stage
        needed: list[tuple[str, CatalogObject]] = [
            (privilege, found),
            *(("USAGE", inside) for inside in (*_above(found), *_above(table), *_above(stage))),
            ("READ", stage),
            ("INSERT", table),
            ("SELECT", table),
        ]
        if not all(_may(catalog, role, *each) for each in needed):
            raise PipeUnknown
        return found


def _above(found: CatalogObject) -> list[CatalogObject]:
    schema = found.container
    assert schema is not None
    assert schema.container is not None
    return [schema, schema.container]


def _may(catalog: Catalog, role: Role, privilege: str, on: CatalogObject) -> bool:
    """OPERATE stands for no MONITOR here: the page has a privilege for each endpoint."""
    return catalog.grants.has_privilege(role, privilege, on, by_name=True)


def _names(text: str) -> list[str]:
    """Dotted, case-sensitive as it stands."""
    names, position = [], 0
    while match := PART.match(text, position):
        names.append(match[1].replace('""', '"') if match[1] is not None else match[2])
        position = match.end() + 1
        if match.end() == len(text):
            break
    if len(names) != 3 or position <= len(text):
        raise PipeUnknown
    return names
