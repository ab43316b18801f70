"""Calls to AWS, and what their errors mean: the one place that reads an error of botocore's."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from firnline_infra.accounts.errors import AwsRefused
from firnline_ingest.activity import waiting_for

DENIED = {"AccessDenied", "AccessDeniedException"}
MISSING = {
    "404",
    "ClusterNotFound",
    "NoSuchBucket",
    "NoSuchEntity",
    "NoSuchKey",
    "NotFound",
    "NotFoundException",
    "PolicyNotFoundException",
    "RepositoryNotFoundException",
    "ResourceNotFound",
    "ResourceNotFoundException",
}
TRANSIENT = {
    "ConditionalRequestConflict",
    "InternalError",
    "InternalFailure",
    "InternalServerError",
    "InternalServerException",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
"""Common errors of AWS, and of EMR's services, that a later call may not meet (botocore's models; S3's error list)."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AwsFailure:
    """An error of botocore's, without the request: no key of it is in a message."""

    code: str
    """The service's; empty if no service answered."""
    text: str
    is_transient: bool
    is_ours: bool = False
    """True for a request that botocore's own model refuses."""
    is_malformed: bool = False
    """True where the service says that the request, or a value in it, is not a valid one. `text` has the request's parts then."""

    @classmethod
    def of(cls, error: Exception) -> "AwsFailure":
        """Raises the error itself if it is none of botocore's."""
        from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

        from firnline_ingest.aws.codes import MALFORMED
        from firnline_ingest.aws.request_parts import parts_of

        match error:
            case ClientError():
                said = error.response.get("Error", {})
                code = str(said.get("Code", ""))
                is_malformed = code in MALFORMED
                parts = parts_of(error) if is_malformed else ""
                text = f"{code}: {said.get('Message', '')}{parts}"
                return cls(code, text, code in TRANSIENT, is_malformed=is_malformed)
            case ParamValidationError():
                return cls("", str(error), is_transient=False, is_ours=True)
            case BotoCoreError():
                return cls("", str(error), is_transient=True)
            case _:
                raise error


@contextmanager
def aws_call(action: str, on: str) -> Iterator[None]:
    """Raises AwsRefused for any error of botocore's. It keeps the error's text only, so no key of a request is in it."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        with waiting_for(f"AWS: {action} on {on}"):
            yield
    except (BotoCoreError, ClientError) as error:
        raise AwsRefused(action, on, str(error)) from None


def if_there(action: str, on: str, ask: Callable[..., T], **request: Any) -> T | None:
    """The answer to a request; None if AWS has no such object. Raises AwsRefused."""
    with aws_call(action, on):
        try:
            return ask(**request)
        except Exception as error:
            if AwsFailure.of(error).code in MISSING:
                return None
            raise
