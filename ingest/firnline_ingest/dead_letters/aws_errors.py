"""Refusals of S3 and Kinesis to keep a dead letter, as errors that say what a person has to do.

Codes are those of the API references of S3 ("Error responses") and Kinesis (PutRecords).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.codes import (
    DENIED,
    KMS,
    MALFORMED,
    NO_CREDENTIALS,
    STALE,
    THROTTLED,
    UNKNOWN_CALLER,
)
from firnline_ingest.aws.request_parts import parts_of
from firnline_ingest.aws.trust import said
from firnline_ingest.dead_letters.errors import (
    DeadLetterPlaceMissing,
    DeadLetterRequestMalformed,
    DeadLettersForbidden,
    DeadLettersUnauthenticated,
    DeadLettersUnavailable,
    DeadLetterUnreadable,
    DeadLetterUnwritable,
)
from firnline_ingest.errors import DeadLetterError

FORBIDDEN = ({"AccessDenied", "AllAccessDisabled"} | DENIED | KMS) - UNKNOWN_CALLER
NEEDED = re.compile(r"not authorized to perform: (\w+:\w+)")  # IAM's own words, also about the key of a bucket
ELSEWHERE = {"AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect"}
"""The bucket is in another region, and the client could not follow."""
MISSING = {"NoSuchBucket", "ResourceNotFoundException"} | ELSEWHERE
NOT_A_REQUEST = MALFORMED | {
    "InvalidArgument",
    "InvalidArgumentException",
    "InvalidRequest",
    "MalformedPOSTRequest",
    "MethodNotAllowed",
    "NotImplemented",
}
"""Besides those of all services, S3's own ("Error responses") and Kinesis' (PutRecords, GetRecords)."""
DAMAGED_ON_THE_WAY = {"BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch"}
"""Content that did not arrive as it was sent. botocore's standard mode does not try such a request again."""
PASSING_4XX = {"ConditionalRequestConflict", "OperationAborted", "RequestTimeout"} | DAMAGED_ON_THE_WAY | THROTTLED


@contextmanager
def explained(action: str, place: str) -> Iterator[None]:
    """Turns what AWS raises inside into a DeadLetterError that names the action (as IAM writes it) and the place."""
    try:
        yield
    except ClientError as error:
        raise of_answer(error, action, place) from error
    except NO_CREDENTIALS as error:
        raise DeadLettersUnauthenticated(place, str(error)) from error
    except BotoCoreError as error:
        raise DeadLettersUnavailable(action, place, said(error)) from error


def code_of(error: ClientError) -> str:
    return error.response.get("Error", {}).get("Code", "")


def of_answer(error: ClientError, action: str, place: str) -> DeadLetterError:
    code = code_of(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    cause = f"{code}: {error.response.get('Error', {}).get('Message', '')}"
    if code in FORBIDDEN or (code.startswith("KMS.") and "Throttl" not in code):
        needed = NEEDED.search(cause)
        return DeadLettersForbidden(action, place, cause, needed=needed[1] if needed else None)
    if code in UNKNOWN_CALLER:
        return DeadLettersUnauthenticated(place, cause)
    if code in MISSING:
        return DeadLetterPlaceMissing(place, cause)
    if code in STALE:
        return DeadLettersUnavailable(action, place, cause, is_stale=True)
    if code in NOT_A_REQUEST:
        return DeadLetterRequestMalformed(action, place, f"{cause}{parts_of(error)}")
    if code in PASSING_4XX or not 400 <= status < 500 or status == 429:
        return DeadLettersUnavailable(action, place, cause)
    return (DeadLetterUnwritable if ":Put" in action else DeadLetterUnreadable)(place, cause)
