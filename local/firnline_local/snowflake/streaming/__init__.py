"""The embedded Snowflake's streaming service: what the Snowpipe Streaming SDK speaks over HTTP."""

from firnline_local.snowflake.streaming.routes import streaming_routes
from firnline_local.snowflake.streaming.service import StreamingService, control_routes
from firnline_local.snowflake.streaming.settings import StreamingSettings

__all__ = ["StreamingService", "StreamingSettings", "control_routes", "streaming_routes"]
