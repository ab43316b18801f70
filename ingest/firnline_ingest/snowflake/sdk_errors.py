"""What the Snowpipe Streaming SDK reports, as errors of ours: the one place where its error codes are read.

A pure function of the error and of what was being done; what follows from it (a client made again, a key read again) is
decided in sdk.py.
"""

from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.snowflake.errors import (
    Backpressure,
    ChannelLost,
    ClientLost,
    KeyRefused,
    NotAllowed,
    SessionRefused,
    SnowflakeUnavailable,
)
from firnline_ingest.values import TargetTable

SATURATED = {"ReceiverSaturated", "MemoryThresholdExceeded", "MemoryThresholdExceededInContainer"}
CLIENT_GONE = {
    "InvalidClientError",
    "ClosedClientError",
    "SfApiPipeFailedOverError",
    "InputChannelClosed",
    "OutputChannelClosed",
}
CHANNEL_GONE = {"InvalidChannelError", "ClosedChannelError", "ChannelClosedByUser", "ChannelNotFound", "Fatal"}
REFUSED = {"SfApiAuthError", "AuthTokenError"}
NOT_FOUND = {"SfApiNotFoundError", "SfApiUserError", "HttpClientNonRetryableError"}
CHANNEL_MISSING = "ERR_CHANNEL_DOES_NOT_EXIST"  # the service has several endings for it
ROLE_REFUSED = "390189"  # the service's number for a role that the user does not have


def sdk_error(
    error: Exception, *, snowflake: SnowflakeConfig, target: TargetTable, channel: str, fingerprint: str
) -> Exception:
    """Maps an error of the SDK to a SnowflakeError; returns other errors unchanged."""
    code = sdk_code(error)
    if code is None:
        return error
    if ROLE_REFUSED in str(error):
        return SessionRefused(snowflake.user, snowflake.role, str(error))
    if code in REFUSED:
        return KeyRefused(snowflake.user, fingerprint, str(error))
    if code in NOT_FOUND:
        return NotAllowed(str(target), snowflake.role, str(error))
    if code in SATURATED:
        return Backpressure(channel, code)
    if code in CLIENT_GONE:
        return ClientLost(target.pipe, f"{code}: {error}")
    if code in CHANNEL_GONE:
        return ChannelLost(channel, f"{code}: {error}")
    return SnowflakeUnavailable(f"serve channel {channel}", f"{code}: {error}")


def is_channel_missing(error: Exception) -> bool:
    """Whether the service says of a channel, and not of its pipe or table, that it is not there."""
    return sdk_code(error) is not None and CHANNEL_MISSING in str(error)


def sdk_code(error: Exception) -> str | None:
    """The SDK's error code, by its stable name; None for an error that is not the SDK's."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code)) if code is not None else None
