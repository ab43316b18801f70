"""Reports of the Snowpipe Streaming SDK, as errors of ours: the one place where its error codes are read.

A pure function of the error and of what was being done; what follows from it (a client recreated, a key read again) is
decided in sdk.py. What the service answered stands in an error's text only: "HTTP 404, error_code=…".
"""

import re

from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake.channel_errors import (
    AccessLost,
    Backpressure,
    ChannelLimitReached,
    ChannelLost,
    ClientLost,
    OpenRefused,
)
from firnline_ingest.snowflake.errors import KeyRefused, LoginRefused, NotAllowed, SnowflakeUnavailable
from firnline_ingest.snowflake.preflight import NOT_THE_KEY
from firnline_ingest.values import TargetTable

SATURATED = {"ReceiverSaturated", "MemoryThresholdExceeded", "MemoryThresholdExceededInContainer"}
CLIENT_GONE = {
    "InvalidClientError",
    "ClosedClientError",
    "SfApiPipeFailedOverError",
    "InputChannelClosed",
    "OutputChannelClosed",
    "SdkPanicked",  # both of sdk_guard.py
    "SdkSilent",
    "ChannelAlreadyExists",  # a handle that this client keeps, and no other
}
CHANNEL_GONE = {"InvalidChannelError", "ClosedChannelError", "ChannelClosedByUser", "ChannelNotFound", "Fatal"}
REFUSED = {"SfApiAuthError", "AuthTokenError"}
ANSWERED = {"SfApiNotFoundError", "SfApiUserError", "HttpClientNonRetryableError"}
STATUS = re.compile(r"\bHTTP (\d{3})\b")
PRIVILEGE_OR_NAME = {403, 404}
CHANNEL_LIMIT = "ERR_CHANNEL_LIMIT_EXCEEDED"
CHANNEL_MISSING = "ERR_CHANNEL_DOES_NOT_EXIST"  # the service has several endings for it
NO_ACCESS = re.compile(r"\bERR_(?!CHANNEL)\w*NOT_AUTHORIZED\b|\bHTTP 403\b")
"""The service's refusal of a table, a pipe or what they are in; of a channel it says the same where that is gone alone."""
ROLE_REFUSED = "390189"  # the service's number for a role that the user does not have


def sdk_error(
    error: Exception, *, snowflake: SnowflakeConfig, target: TargetTable, channel: str, fingerprint: str
) -> Exception:
    """Maps an error of the SDK to a SnowflakeError; returns other errors unchanged."""
    code = sdk_code(error)
    if code is None:
        return error
    if _is_locked_out(error):
        return LoginRefused(snowflake.user, snowflake.role, str(error))
    if code in REFUSED:
        return KeyRefused(snowflake.user, fingerprint, str(error))
    if code in ANSWERED:
        return _refusal(error, code, snowflake.role, target, channel)
    if code in SATURATED:
        return Backpressure(channel, code)
    if code in CLIENT_GONE | CHANNEL_GONE:
        return _lost(error, code, snowflake.role, target, channel)
    return SnowflakeUnavailable(f"serve channel {channel}", f"{code}: {error}")


def _lost(error: Exception, code: str, role: str, target: TargetTable, channel: str) -> SnowflakeError:
    """Returns an error that opens again. An invalid client has the service's own answer in its text, where it has one."""
    if NO_ACCESS.search(str(error)):
        return AccessLost(target.pipe, f"{code}: {error}", target=str(target), role=role)
    lost = ClientLost(target.pipe, f"{code}: {error}") if code in CLIENT_GONE else None
    return lost or ChannelLost(channel, f"{code}: {error}")


def _refusal(error: Exception, code: str, role: str, target: TargetTable, channel: str) -> SnowflakeError:
    """Returns the error of a 4xx of the service that the SDK does not repeat."""
    if CHANNEL_LIMIT in str(error):
        return ChannelLimitReached(target.pipe, channel, str(error))
    found = STATUS.search(str(error))
    if code == "SfApiNotFoundError" or (found and int(found[1]) in PRIVILEGE_OR_NAME):
        return NotAllowed(str(target), role, str(error))
    return OpenRefused(channel, f"{code}: {error}")


def is_channel_missing(error: Exception) -> bool:
    """Returns whether the service says of a channel, and not of its pipe or table, that it is not there."""
    return sdk_code(error) is not None and CHANNEL_MISSING in str(error)


def passes(error: Exception) -> bool:
    """Returns whether the error may be gone when the same is asked again: nothing was refused, and nothing was lost."""
    final = CLIENT_GONE | CHANNEL_GONE | REFUSED | ANSWERED
    return sdk_code(error) not in final and not _is_locked_out(error)


def _is_locked_out(error: Exception) -> bool:
    """Returns whether the user or its role is refused, whatever its key."""
    return ROLE_REFUSED in str(error) or NOT_THE_KEY.search(str(error)) is not None


def sdk_code(error: Exception) -> str | None:
    """The SDK's error code, by its stable name; None for an error that is not the SDK's."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code)) if code is not None else None
