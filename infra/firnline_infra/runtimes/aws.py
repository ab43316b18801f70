"""Calls to AWS for a running engine: errors in the service's own words, and whether time heals them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable

PASSING = {
    "ConditionalRequestConflict",
    "InternalFailure",
    "InternalServerException",
    "InternalServerError",
    "InternalError",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
"""Common errors of AWS, and of EMR's services, that a later call may not meet (botocore's models; S3's error list)."""
DENIED = {"AccessDenied", "AccessDeniedException"}
MISSING = {"404", "NoSuchKey", "NoSuchBucket", "NotFound", "ResourceNotFoundException", "NoSuchEntity"}


@contextmanager
def call(action: str, on: str, *, next_steps: Mapping[str, str] | None = None) -> Iterator[None]:
    """Raises RuntimeRefused or RuntimeUnavailable. `next_steps`: what to do about an error, by its code."""
    from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

    try:
        yield
    except ClientError as error:
        said = error.response.get("Error", {})
        code, words = said.get("Code", ""), said.get("Message", "")
        if code in PASSING:
            raise RuntimeUnavailable(action, on, f"{code}: {words}") from error
        raise RuntimeRefused(action, on, f"{code}: {words}", next_step=(next_steps or {}).get(code, "")) from error
    except ParamValidationError as error:
        raise RuntimeRefused(action, on, str(error), next_step="this is a defect of ours: please report it.") from error
    except BotoCoreError as error:
        raise RuntimeUnavailable(action, on, str(error)) from error


def is_missing(error: RuntimeRefused) -> bool:
    return code_of(error) in MISSING


def code_of(error: RuntimeRefused) -> str:
    response: Any = getattr(error.__cause__, "response", {})
    return str(response.get("Error", {}).get("Code", ""))


def bucket_and_key(uri: str) -> tuple[str, str]:
    """Of s3://bucket/key, s3a:// and s3n:// alike."""
    parts = urlsplit(uri)
    return parts.netloc, parts.path.lstrip("/")


def pages(client: Any, operation: str, result: str, **request: Any) -> Iterator[Any]:
    """The members of all pages of a service whose pages are linked by nextToken."""
    token: dict[str, str] = {}
    while True:
        answer = getattr(client, operation)(**request, **token)
        yield from answer[result]
        if not answer.get("nextToken"):
            return
        token = {"nextToken": answer["nextToken"]}
