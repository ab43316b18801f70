"""The faults that a schedule may meet: each passes, so whoever goes on gets through."""

import random
from dataclasses import replace

from firnline_local.faults import Fault, FaultKind

STATUS_DELAY = Fault(endpoint="snowflake:status", kind=FaultKind.SLOW, delay_s=0.02)
"""Always there: with the workers' settings the SDK asks for a channel's status without a pause."""

_ERROR, _CUT, _LOST, _BODY = FaultKind.ERROR, FaultKind.CUT, FaultKind.LOST, FaultKind.BODY
_THROTTLED = "ProvisionedThroughputExceededException"

MENU: tuple[Fault, ...] = (
    Fault(endpoint="snowflake:append", kind=_LOST),
    Fault(endpoint="snowflake:append", kind=_LOST),
    Fault(endpoint="snowflake:append", kind=_CUT),
    Fault(endpoint="snowflake:append", kind=_ERROR, status=429),
    Fault(endpoint="snowflake:append", kind=_ERROR, status=503),
    Fault(endpoint="snowflake:append", kind=_ERROR, status=401),
    Fault(endpoint="snowflake:append", kind=_ERROR, status=409, code="ERR_CHANNEL_MUST_BE_REOPENED"),
    Fault(endpoint="snowflake:append", kind=_ERROR, status=410, code="ERR_PIPE_FAILED_OVER"),
    Fault(endpoint="snowflake:open", kind=_LOST),
    Fault(endpoint="snowflake:open", kind=_CUT),
    Fault(endpoint="snowflake:open", kind=_ERROR, status=409, code="ERR_OPEN_CHANNEL_IN_PROGRESS"),
    Fault(endpoint="snowflake:open", kind=_ERROR, status=500),
    Fault(endpoint="snowflake:status", kind=_ERROR, status=500),
    Fault(endpoint="snowflake:status", kind=_CUT),
    Fault(endpoint="snowflake:token", kind=_ERROR, status=503),
    Fault(endpoint="snowflake:hostname", kind=_ERROR, status=503),
    Fault(endpoint="dynamodb:PutItem", kind=_LOST),
    Fault(endpoint="dynamodb:PutItem", kind=_LOST),
    Fault(endpoint="dynamodb:PutItem", kind=_ERROR, status=500),
    Fault(endpoint="dynamodb:PutItem", kind=_ERROR, status=400, code=_THROTTLED),
    Fault(endpoint="dynamodb:GetItem", kind=_CUT),
    Fault(endpoint="dynamodb:GetItem", kind=_ERROR, status=400, code=_THROTTLED),
    Fault(endpoint="kinesis:GetRecords", kind=_ERROR, status=400, code=_THROTTLED),
    Fault(endpoint="kinesis:GetRecords", kind=_ERROR, status=400, code="ExpiredIteratorException"),
    Fault(endpoint="kinesis:GetRecords", kind=_ERROR, status=500),
    Fault(endpoint="kinesis:GetRecords", kind=_LOST),
    Fault(endpoint="kinesis:GetRecords", kind=_BODY, body="{}"),
    Fault(endpoint="kinesis:GetRecords", kind=_BODY, body='{"Records":[]}'),
    Fault(endpoint="kinesis:GetRecords", kind=_BODY, body='{"message":null}'),
    Fault(endpoint="kinesis:GetRecords", kind=_BODY, body="<html>a proxy's page</html>"),
    Fault(endpoint="kinesis:ListShards", kind=_ERROR, status=500),
    Fault(endpoint="kinesis:GetShardIterator", kind=_ERROR, status=400, code=_THROTTLED),
    Fault(endpoint="kinesis:GetShardIterator", kind=_CUT),
)


def random_faults(rng: random.Random) -> tuple[Fault, ...]:
    """None, or some, each once or twice."""
    chosen = rng.sample(MENU, rng.choice((0, 0, 1, 2, 4)))
    return tuple(_timed(fault, rng) for fault in chosen)


def _timed(fault: Fault, rng: random.Random) -> Fault:
    return replace(fault, after=rng.randint(0, 6), times=rng.randint(1, 2))
