"""The catalog of a database of the embedded Redshift, beside the rows of its views."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from firnline_local.runtimes.redshift.statements import Path

if TYPE_CHECKING:
    from firnline_local.runtimes.redshift.ingestion import ScannedRecord

ADMIN = "admin"


@dataclass
class StreamSchema:
    name: str
    region: str | None
    role: str
    owner: str


@dataclass
class StoredView:
    path: Path
    owner: str
    text: str
    materialized: bool
    auto_refresh: bool = False
    schema: StreamSchema | None = None
    """The external one, where it reads a stream."""
    stream: str = ""
    over_batch: str = ""
    positions: dict[str, str] = field(default_factory=dict)
    """The last sequence number, by shard."""
    is_aggregated: bool = False
    """The rows are made of all records that it has read, which `records` keeps."""
    records: "list[ScannedRecord]" = field(default_factory=list)


class DatabaseCatalog:
    def __init__(self, database: str) -> None:
        self.database = database
        self.schemas: dict[str, StreamSchema] = {}
        self.views: dict[Path, StoredView] = {}
        self.roles: set[str] = set()
        self.grants: set[tuple[str, str, str, str]] = set()
        """Privilege, kind, name, grantee."""
        self.refreshes: list[dict[str, Any]] = []
        self.scans: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []
        """Rows of the system views about refreshes."""

    @property
    def users(self) -> list[str]:
        """The owners of schemas and views; an id is a place in this list."""
        schemas, views = self.schemas.values(), self.views.values()
        return list(dict.fromkeys([ADMIN, *(each.owner for each in schemas), *(each.owner for each in views)]))
