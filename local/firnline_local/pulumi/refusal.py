"""Refusals of a service, in a sentence that names the object and the next step.

The vendors' own codes stay in it: they are what their documentation and our runbook are searched for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firnline_ingest.errors import FirnlineError
from firnline_local.errors import START
from firnline_local.pulumi.errors import ServiceRefused

TAKEN = {
    "AlreadyExistsException",
    "BucketAlreadyExists",
    "BucketAlreadyOwnedByYou",
    "EntityAlreadyExists",
    "ParameterAlreadyExists",
    "ResourceExistsException",
    "ResourceInUseException",
    "2002",
    "3041",
}
IN_THE_WAY = {"BucketNotEmpty", "DeleteConflict"}
FORBIDDEN = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "2003", "2043", "3001"}


@contextmanager
def readable(token: str, name: str) -> Iterator[None]:
    """Raises ServiceRefused for what a client of a service raised; errors of ours pass as they are."""
    try:
        yield
    except FirnlineError:
        raise
    except Exception as error:
        refusal = _of_aws(token, name, error) or _of_snowflake(token, name, error)
        raise refusal or _of_nobody(token, name, error) from error


def _of_aws(token: str, name: str, error: Exception) -> ServiceRefused | None:
    from botocore.exceptions import BotoCoreError, ClientError

    if isinstance(error, ClientError):
        answer: Any = error.response
        code, message = answer.get("Error", {}).get("Code", ""), answer.get("Error", {}).get("Message", "")
        request = answer.get("ResponseMetadata", {}).get("RequestId", "")
        said = f"{code}: {message}" + (f" (request {request})" if request else "")
        return ServiceRefused(
            token, name, call=error.operation_name, said=said, next_step=_next_step(code, token, name)
        )
    if isinstance(error, BotoCoreError):
        return ServiceRefused(token, name, call="a call", said=str(error), next_step=_unreachable())
    return None


def _of_snowflake(token: str, name: str, error: Exception) -> ServiceRefused | None:
    from snowflake.connector.errors import Error, OperationalError

    if isinstance(error, OperationalError):
        return ServiceRefused(token, name, call="a statement", said=str(error), next_step=_unreachable())
    if isinstance(error, Error):
        said = str(error.msg or error).strip()
        next_step = _next_step(str(error.errno), token, name)
        return ServiceRefused(token, name, call="a statement", said=said, next_step=next_step)
    return None


def _of_nobody(token: str, name: str, error: Exception) -> ServiceRefused:
    said = f"{type(error).__name__}: {error}"
    next_step = (
        "report it, with the inputs of the resource: no service refused anything here, this is a defect of ours."
    )
    return ServiceRefused(token, name, call="making it", said=said, next_step=next_step)


def _next_step(code: str, token: str, name: str) -> str:
    if code in TAKEN:
        return f"adopt what exists (pulumi import {token} {name} <id>), remove it, or give this one another name."
    if code in FORBIDDEN:
        return "grant what is missing to the role that applies the program, or create the object that it names first."
    if code in IN_THE_WAY:
        return "remove what is on it and was not made by this program (it is not in `pulumi stack`), then run it again."
    return "correct the resource's inputs, then apply the program again."


def _unreachable() -> str:
    return f"see whether the embedded environment still runs; start one: {START}"
