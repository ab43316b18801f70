"""One line a code of the SDK: which error it becomes. The SDK itself is not loaded."""

from types import SimpleNamespace

import pytest

from firnline_ingest.config.login import PrivateKey
from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake import channel_errors, errors
from firnline_ingest.snowflake.sdk_errors import (
    ANSWERED,
    CHANNEL_GONE,
    CLIENT_GONE,
    REFUSED,
    ROLE_REFUSED,
    SATURATED,
    passes,
    sdk_code,
    sdk_error,
)
from tests.fakes.configs import TARGET

SNOWFLAKE = SnowflakeConfig(account="acme", user="INGEST", role="LOADER", private_key=PrivateKey(env="KEY"))

TABLE = {
    "ReceiverSaturated": channel_errors.Backpressure,
    "MemoryThresholdExceeded": channel_errors.Backpressure,
    "MemoryThresholdExceededInContainer": channel_errors.Backpressure,
    "InvalidClientError": channel_errors.ClientLost,
    "ClosedClientError": channel_errors.ClientLost,
    "SfApiPipeFailedOverError": channel_errors.ClientLost,
    "InputChannelClosed": channel_errors.ClientLost,
    "OutputChannelClosed": channel_errors.ClientLost,
    "SdkPanicked": channel_errors.ClientLost,
    "SdkSilent": channel_errors.ClientLost,
    "InvalidChannelError": channel_errors.ChannelLost,
    "ClosedChannelError": channel_errors.ChannelLost,
    "ChannelClosedByUser": channel_errors.ChannelLost,
    "ChannelNotFound": channel_errors.ChannelLost,
    "Fatal": channel_errors.ChannelLost,
    "SfApiAuthError": errors.KeyRefused,
    "AuthTokenError": errors.KeyRefused,
    "SfApiNotFoundError": errors.NotAllowed,
    "SfApiUserError": channel_errors.OpenRefused,
    "HttpClientNonRetryableError": channel_errors.OpenRefused,
    "ChannelAlreadyExists": channel_errors.ClientLost,
    "ACodeOfTomorrow": errors.SnowflakeUnavailable,
}


class SdkError(Exception):
    """Like the SDK's: an enum's member as its code, and a message."""

    def __init__(self, code: str, message: str = "why") -> None:
        super().__init__(message)
        self.error_code = SimpleNamespace(value=code)


def translated(error: Exception) -> Exception:
    return sdk_error(error, snowflake=SNOWFLAKE, target=TARGET, channel="app~events~1~shard-0", fingerprint="SHA256:x")


@pytest.mark.parametrize(("code", "kind"), TABLE.items())
def test_a_code_has_its_error(code: str, kind: type[SnowflakeError]) -> None:
    assert type(translated(SdkError(code))) is kind


def test_every_code_that_is_read_has_its_line_here() -> None:
    assert TABLE.keys() - {"ACodeOfTomorrow"} == {*SATURATED, *CLIENT_GONE, *CHANNEL_GONE, *REFUSED, *ANSWERED}


@pytest.mark.parametrize("code", ["SfApiAuthError", "SfApiUserError", "ACodeOfTomorrow"])
def test_a_role_that_the_user_does_not_have_is_told_by_its_number(code: str) -> None:
    error = translated(SdkError(code, f"{ROLE_REFUSED}: role LOADER is not granted"))
    assert isinstance(error, errors.LoginRefused)
    assert "LOADER" in error.what


@pytest.mark.parametrize("code", TABLE)
def test_the_error_names_its_object_and_its_cause(code: str) -> None:
    error = translated(SdkError(code, "because of the weather"))
    assert isinstance(error, SnowflakeError)
    assert any(name in error.what for name in ("app~events~1~shard-0", "EVENTS-STREAMING", "DB.RAW.EVENTS", "INGEST"))
    assert code in error.what or "because of the weather" in error.what


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("HTTP 404, error_code=ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED", errors.NotAllowed),
        ("HTTP 403, error_code=", errors.NotAllowed),
        ("HTTP 400, error_code=ERR_CHANNEL_LIMIT_EXCEEDED_FOR_PIPE", channel_errors.ChannelLimitReached),
        ("HTTP 400, error_code=ERR_MALFORMED_REQUEST", channel_errors.OpenRefused),
        ("HTTP 413, error_code=ERR_PAYLOAD_TOO_LARGE", channel_errors.OpenRefused),
    ],
)
def test_what_the_service_answered_decides_and_is_told(answer: str, kind: type[SnowflakeError]) -> None:
    error = translated(SdkError("SfApiUserError", answer))
    assert type(error) is kind
    assert answer in str(error)


REVOKED = 'InvalidClientError: HTTP 404 {"code":"ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"}'


@pytest.mark.parametrize("code", sorted(CLIENT_GONE | CHANNEL_GONE))
def test_a_client_that_was_refused_the_table_is_no_failover(code: str) -> None:
    """For half a minute after a REVOKE the SDK has no other words: its client is invalid, because of what it was refused. The
    client is recreated all the same, and no row of it is suspected."""
    error = translated(SdkError(code, REVOKED))
    assert isinstance(error, channel_errors.AccessLost)
    assert error.is_retryable
    assert "LOADER may not write to DB.RAW.EVENTS" in error.what
    assert "validate" in error.next_step


def test_a_channel_that_alone_is_gone_is_opened_again() -> None:
    error = translated(
        SdkError("InvalidChannelError", "HTTP 404, error_code=ERR_CHANNEL_DOES_NOT_EXIST_OR_IS_NOT_AUTHORIZED")
    )
    assert type(error) is channel_errors.ChannelLost


def test_what_refused_nobody_and_lost_nothing_passes() -> None:
    assert {code for code in TABLE if passes(SdkError(code))} == SATURATED | {"ACodeOfTomorrow"}
    assert not passes(SdkError("ACodeOfTomorrow", f"{ROLE_REFUSED}: role"))


@pytest.mark.parametrize("code", ["SfApiAuthError", "AuthTokenError", "InvalidChannelError", "ACodeOfTomorrow"])
def test_a_user_that_is_locked_out_is_told_as_that_and_not_as_its_key(code: str) -> None:
    error = SdkError(code, 'HTTP 401 {"code":"390101","message":"User access disabled."}')
    assert isinstance(translated(error), errors.LoginRefused)
    assert not passes(error)
    assert not isinstance(translated(SdkError(code, "token 5390101600")), errors.LoginRefused)


def test_a_refused_key_is_named_by_its_fingerprint() -> None:
    error = translated(SdkError("SfApiAuthError"))
    assert isinstance(error, errors.KeyRefused)
    assert "SHA256:x" in error.what


@pytest.mark.parametrize("error", [ValueError("ours"), TimeoutError(), KeyError("x")])
def test_an_error_that_is_not_the_sdks_stays_itself(error: Exception) -> None:
    assert translated(error) is error
    assert sdk_code(error) is None
