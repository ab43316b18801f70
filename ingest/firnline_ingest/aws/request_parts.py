"""The parts of a request, for a message that people report: bounded, and without what is a secret or a row."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

SHOWN = frozenset(
    {
        "Bucket",
        "ConsistentRead",
        "ExpressionAttributeNames",
        "IndexName",
        "Limit",
        "ReturnValues",
        "SecretId",
        "StreamName",
        "TableName",
    }
)
LONGEST = 800
PARTS = "FirnlineRequest"
"""Where a refusal keeps the parts of its request."""


def keep_parts(client: Any) -> None:
    """Has each refusal of a client of botocore keep the parts of its request, for `parts_of`."""
    client.meta.events.register("before-parameter-build", _note)
    client.meta.events.register("after-call", _keep)


def parts_of(error: "ClientError") -> str:
    """Returns a sentence with the parts of the request that was refused; empty where its client keeps none."""
    parts = error.response.get(PARTS)
    return f" The request: {parts}" if parts else ""


def _note(params: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
    context[PARTS] = params


def _keep(parsed: dict[str, Any], context: Mapping[str, Any], **_: Any) -> None:
    if "Error" in parsed and PARTS in context:
        parsed[PARTS] = described(context[PARTS])


def described(parameters: Mapping[str, Any]) -> str:
    """Returns the parameters in one line: expressions, names and switches as they are, of anything else the name alone."""
    parts = [_part(name, value) for name, value in sorted(parameters.items())]
    text = ", ".join(parts)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _part(name: str, value: Any) -> str:
    if name in SHOWN or name.endswith("Expression"):
        return f"{name}={json.dumps(value, default=str)}"
    return f"{name}=…"
