"""The service's own clock, as its answers tell it: whole seconds, from the Date header.

Never the worker's: a worker may have been frozen between an answer and now, and its clock may be wrong.
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

MARGIN_MS = 60_000
"""What was true at an answer's time less this was true at the service: its hosts' clocks differ, and Date is rounded."""


def service_time_ms(answer: Mapping[str, Any]) -> int | None:
    """Returns when botocore's `answer` was made; None if a proxy removed the header."""
    date = answer["ResponseMetadata"].get("HTTPHeaders", {}).get("date")
    try:
        return int(parsedate_to_datetime(date).timestamp() * 1000) if date else None
    except ValueError:
        return None
