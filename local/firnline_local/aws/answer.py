"""An answer that does not come from moto: an error in the spelling of its service, or one of a control route."""

import json
from dataclasses import dataclass
from uuid import uuid4
from xml.sax.saxutils import escape

from firnline_local.aws.call import Call, Protocol

INTERNAL_FAILURE = {"dynamodb": "InternalServerError", "s3": "InternalError"}  # as each service calls it


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content_type: str
    body: bytes


def error_answer(call: Call, *, status: int, code: str, message: str) -> Answer:
    """Without a code it is the service's own for an internal failure."""
    code = code or INTERNAL_FAILURE.get(call.service, "InternalFailure")
    if call.protocol is Protocol.JSON:
        body = json.dumps({"__type": code, "message": message, "Message": message})
        return Answer(status, "application/x-amz-json-1.0", body.encode())
    error = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    if call.protocol is Protocol.QUERY:
        whose = "Sender" if status < 500 else "Receiver"
        error = (
            f"<ErrorResponse><Error><Type>{whose}</Type>{error}</Error><RequestId>{uuid4()}</RequestId></ErrorResponse>"
        )
    else:
        error = f"<Error>{error}<RequestId>{uuid4()}</RequestId></Error>"
    return Answer(status, "text/xml", f'<?xml version="1.0" encoding="UTF-8"?>{error}'.encode())
