"""Calls to AWS for a running engine: errors in the service's own words, and whether time heals them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from firnline_infra.accounts.aws import MISSING, AwsFailure
from firnline_infra.accounts.expiry import EXPIRED, step_of_whoever_asks
from firnline_infra.runtimes.errors import REPORT_REQUEST, RuntimeRefused, RuntimeUnavailable
from firnline_ingest.errors import FirnlineError

DEFECT = "this is a defect of ours: please report it."


@contextmanager
def call(action: str, on: str, *, next_steps: Mapping[str, str] | None = None) -> Iterator[None]:
    """Raises RuntimeRefused or RuntimeUnavailable. `next_steps`: what to do about an error, by its code."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        failure = AwsFailure.of(error)
        if failure.is_transient:
            raise RuntimeUnavailable(action, on, failure.text) from error
        step = DEFECT if failure.is_ours else REPORT_REQUEST if failure.is_malformed else ""
        step = (next_steps or {}).get(failure.code, step)
        step = step_of_whoever_asks(failure.text) or step
        raise RuntimeRefused(action, on, failure.text, next_step=step) from error


def is_missing(error: RuntimeRefused) -> bool:
    return code_of(error) in MISSING


def code_of(error: RuntimeRefused) -> str:
    response: Any = getattr(error.__cause__, "response", {})
    return str(response.get("Error", {}).get("Code", ""))


def is_expired(error: FirnlineError) -> bool:
    """Returns whether the caller's own credentials are over: nothing is lacking but new ones."""
    return isinstance(error, RuntimeRefused) and (code_of(error) in EXPIRED or error.is_unauthorized)


def bucket_and_key(uri: str) -> tuple[str, str]:
    """Bucket and key of s3://bucket/key, s3a:// and s3n:// alike."""
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
