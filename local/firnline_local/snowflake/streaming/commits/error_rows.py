"""Rows of an error table, from rows that were not taken (documentation, `snowpipe-streaming-error-tables`)."""

from datetime import datetime

from firnline_local.snowflake.catalog import ErrorRow
from firnline_local.snowflake.streaming.channels.channel import Append, StreamingChannel
from firnline_local.snowflake.streaming.rows.reader import RowError

SERVICE = "snowpipe_streaming"


def error_row(error: RowError, channel: StreamingChannel, append: Append, *, at: datetime) -> ErrorRow:
    """The payload is the row as it was sent, whole; real error tables cut it off at 128 MB, which no request reaches."""
    return ErrorRow(
        timestamp=at,
        error_code=int(error.code),
        error_metadata={
            "error_code": int(error.code),
            "error_message": error.message,
            "error_source": error.column,
            "sql_state": error.sql_state,
            "service": SERVICE,
            "details": {
                "pipe_name": channel.pipe.name,
                "channel_name": channel.name,
                "offset_token_lower_bound": append.start_token,
                "offset_token_upper_bound": append.end_token,
                "error_data_truncated": False,
                "error_data_content_type": error.content_type,
            },
        },
        error_data={"$1": error.payload},
    )
