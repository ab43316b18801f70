"""The fixed columns of every error table (docs.snowflake.com, `user-guide/data-engineering/error-tables`)."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from firnline_local.snowflake.catalog.tables import Column
from firnline_local.snowflake.catalog.types import DataType

ERROR_COLUMNS = tuple(
    Column(name=name, type=DataType.parse(type_name))
    for name, type_name in (
        ("TIMESTAMP", "TIMESTAMP_LTZ"),
        ("QUERY_ID", "VARCHAR"),
        ("ERROR_CODE", "NUMBER"),
        ("ERROR_METADATA", "OBJECT"),
        ("ERROR_DATA", "OBJECT"),
    )
)


@dataclass(frozen=True, kw_only=True)
class ErrorRow:
    """A row that could not be written to its table."""

    timestamp: datetime
    error_code: int
    error_metadata: dict[str, Any]
    """error_code, error_message, error_source, sql_state, service, details."""
    error_data: dict[str, Any]
    """The payload as it was sent, under the key "$1"."""
    query_id: str | None = None

    def as_row(self) -> dict[str, Any]:
        return {
            "TIMESTAMP": self.timestamp,
            "QUERY_ID": self.query_id,
            "ERROR_CODE": self.error_code,
            "ERROR_METADATA": json.dumps(self.error_metadata),
            "ERROR_DATA": json.dumps(self.error_data),
        }
