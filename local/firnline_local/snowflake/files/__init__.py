"""Snowpipe by files: what PUT uploads, and the REST endpoints that `snowflake-ingest` asks to load it."""

from firnline_local.snowflake.files.routes import file_routes
from firnline_local.snowflake.files.service import FileService, FileSettings

__all__ = ["FileService", "FileSettings", "file_routes"]
