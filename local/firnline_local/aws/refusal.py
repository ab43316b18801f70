"""An error in the spelling of the service that it is said to come from."""

import json
from dataclasses import dataclass
from uuid import uuid4
from xml.sax.saxutils import escape

from firnline_local.aws.call import Call, Protocol

INTERNAL_FAILURE = {"dynamodb": "InternalServerError", "s3": "InternalError"}  # as each service calls it


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is sent instead of moto's answer."""

    status: int
    content_type: str
    body: bytes


def refuse(call: Call, *, status: int, code: str, message: str) -> Refusal:
    code = code or INTERNAL_FAILURE.get(call.service, "InternalFailure")
    if call.protocol is Protocol.JSON:
        body = json.dumps({"__type": code, "message": message, "Message": message})
        return Refusal(status, "application/x-amz-json-1.0", body.encode())
    error = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    if call.protocol is Protocol.QUERY:
        whose = "Sender" if status < 500 else "Receiver"
        error = (
            f"<ErrorResponse><Error><Type>{whose}</Type>{error}</Error><RequestId>{uuid4()}</RequestId></ErrorResponse>"
        )
    else:
        error = f"<Error>{error}<RequestId>{uuid4()}</RequestId></Error>"
    return Refusal(status, "text/xml", f'<?xml version="1.0" encoding="UTF-8"?>{error}'.encode())
