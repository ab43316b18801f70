"""Sessions of roles, from STS: what its refusals mean, and how long a session lasts.

A session lasts as long as was asked for ("AssumeRole", DurationSeconds), counted from before the request by this machine's own
clock: what the wall clock says does not matter.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.codes import DENIED, NO_CREDENTIALS, STALE, UNKNOWN_CALLER
from firnline_ingest.aws.credentials import TimedCredentials
from firnline_ingest.aws.errors import (
    RoleRefused,
    SessionRefused,
    SourceExpired,
    StsUnreachable,
    WebIdentityMissing,
    WebIdentityRefused,
)
from firnline_ingest.config.access import Role, WebIdentity
from firnline_ingest.errors import CredentialsError

REFUSED = {"AccessDenied", "InvalidClientTokenId", *DENIED, *UNKNOWN_CALLER}
NO_SUCH_SESSION = {"ValidationError", "MalformedPolicyDocument", "PackedPolicyTooLarge", "RegionDisabledException"}
NO_SUCH_IDENTITY = {"InvalidIdentityToken", "IDPRejectedClaim"}
"""Errors of AssumeRole and AssumeRoleWithWebIdentity (STS API reference); any other is of the service or of the moment."""


def assumed(role: Role, sts: Callable[[], Any]) -> TimedCredentials:
    """A session of the role. Raises CredentialsErrors, and NoCredentialsError where there is nothing to ask with."""
    request: dict[str, Any] = {
        "RoleArn": role.arn,
        "RoleSessionName": role.session_name,
        "DurationSeconds": role.duration_seconds,
    }
    if role.external_id is not None:
        request["ExternalId"] = role.external_id

    def refused(message: str) -> CredentialsError:
        return RoleRefused(role.arn, role.external_id, message)

    answer = _asked(lambda: sts().assume_role(**request), role.arn, refused)
    return _found(answer, role.duration_seconds)


def identified(identity: WebIdentity, sts: Callable[[], Any]) -> TimedCredentials:
    """A session of the identity's role, with the token that its file holds now. Raises CredentialsErrors."""
    request = {
        "RoleArn": identity.role_arn,
        "RoleSessionName": identity.session_name,
        "DurationSeconds": identity.duration_seconds,
        "WebIdentityToken": _token(identity.token_file),
    }

    def refused(message: str) -> CredentialsError:
        return WebIdentityRefused(identity.role_arn, str(identity.token_file), message)

    answer = _asked(lambda: sts().assume_role_with_web_identity(**request), identity.role_arn, refused)
    return _found(answer, identity.duration_seconds)


def _token(file: Path) -> str:
    try:
        token = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise WebIdentityMissing(str(file), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise WebIdentityMissing(str(file), "it is not text of a token") from error
    if not token:
        raise WebIdentityMissing(str(file), "it is empty")
    return token


def _asked(call: Callable[[], Any], role: str, refused: Callable[[str], CredentialsError]) -> Any:
    try:
        return call()
    except ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
        if code in STALE:
            raise SourceExpired(role, f"{code}: {message}") from error
        if code in REFUSED or code in NO_SUCH_IDENTITY:
            raise refused(message) from error
        if code in NO_SUCH_SESSION:
            raise SessionRefused(role, f"{code}: {message}") from error
        raise StsUnreachable(role, f"{code}: {message}") from error
    except NO_CREDENTIALS:
        raise
    except BotoCoreError as error:
        raise StsUnreachable(role, str(error)) from error


def _found(answer: Any, lasts_s: int) -> TimedCredentials:
    given = answer["Credentials"]
    return TimedCredentials(Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"]), lasts_s)
