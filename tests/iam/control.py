"""The control routes that both enforcing servers add to those that they have anyway.

GET  /__firnline__/calls      the calls from ?since= on
GET  /__firnline__/callers    the callers that are known
POST /__firnline__/callers    {"access_key": …, "principal": …, "statements": […]}: from now on these are its rights
"""

import json
from urllib.parse import parse_qs, urlsplit

from tests.iam.call_log import CallLog
from tests.iam.callers import Callers

CONTROL_PREFIX = "/__firnline__/"


def control(method: str, target: str, body: bytes, *, log: CallLog, callers: Callers) -> tuple[int, bytes] | None:
    """Status and JSON; None where the route is not one of these. `target` is the path with its query."""
    url = urlsplit(target)
    route = url.path.removeprefix(CONTROL_PREFIX)
    if not url.path.startswith(CONTROL_PREFIX) or route not in {"calls", "callers"}:
        return None
    try:
        if route == "calls":
            return _json(log.since(_since(url.query)))
        if method == "POST":
            callers.from_json(body)
        return _json(callers.as_json())
    except ValueError as error:
        return _json({"error": str(error)}, status=400)


def _since(query: str) -> int:
    parameters = parse_qs(query)
    if unknown := parameters.keys() - {"since"}:
        raise ValueError(f"calls takes ?since=, not {', '.join(sorted(unknown))}")
    return int(parameters.get("since", ["0"])[-1])


def _json(content: object, *, status: int = 200) -> tuple[int, bytes]:
    return status, json.dumps(content).encode()
