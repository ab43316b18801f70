"""What a test does to the server beside AWS: faults, the calls it has seen, callers whose policies are enforced.

GET  /__firnline__/faults     the plan, with how often each fault was matched and hit
POST /__firnline__/faults     replaces it: a list of faults
GET  /__firnline__/calls      the calls from ?since= on
GET  /__firnline__/callers    the callers that are known
POST /__firnline__/callers    {"access_key": …, "principal": …, "statements": […]}: from now on these are its rights
"""

import json
from urllib.parse import parse_qs
from wsgiref.types import WSGIEnvironment

from firnline_local.aws.gate import Gate
from firnline_local.aws.refusal import Refusal
from firnline_local.faults import FaultPlan, InvalidFault, faults_from_json

CONTROL_PREFIX = "/__firnline__/"


def control(environ: WSGIEnvironment, faults: FaultPlan, gate: Gate) -> Refusal:
    route = (environ["REQUEST_METHOD"], environ["PATH_INFO"].removeprefix(CONTROL_PREFIX))
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) if route[0] == "POST" else b""
    try:
        match route:
            case ("POST" | "GET", "faults"):
                if body:
                    faults.replace(faults_from_json(body))
                return Refusal(200, "application/json", faults.to_json().encode())
            case ("GET", "calls"):
                since = parse_qs(environ.get("QUERY_STRING", "")).get("since", ["0"])[0]
                return _json(gate.log.since(int(since)))
            case ("POST" | "GET", "callers"):
                if body:
                    gate.callers.from_json(body)
                return _json(gate.callers.as_json())
    except (InvalidFault, ValueError) as error:
        return Refusal(400, "text/plain", str(error).encode())
    return Refusal(404, "text/plain", f"there is no {' '.join(route)}; there are faults, calls and callers".encode())


def _json(content: object) -> Refusal:
    return Refusal(200, "application/json", json.dumps(content).encode())
