"""The embedded Snowflake's streaming face: what the Snowpipe Streaming SDK speaks over HTTP."""

from firnline_local.snowflake.streaming.face import StreamingFace
from firnline_local.snowflake.streaming.http.control import control_routes
from firnline_local.snowflake.streaming.http.routes import streaming_routes
from firnline_local.snowflake.streaming.settings import Settings

__all__ = ["Settings", "StreamingFace", "control_routes", "streaming_routes"]
