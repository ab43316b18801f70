"""Values of a definition before anything exists: a plain text, or a reference to what creating something will tell."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, order=True, slots=True)
class Reference:
    """An attribute that only the made object has: the ARN of a key, the external volume's IAM user."""

    of: str
    """The logical name of the object within its environment: key, secret/ingest, consumer/orders/fraud."""
    attribute: str = "arn"

    def __str__(self) -> str:
        return f"${{{self.of}.{self.attribute}}}"


class Deferred(Protocol):
    """A value that a renderer knows later, such as a Pulumi Output."""

    def apply(self, func: Callable[[Any], Any], /) -> Any: ...


Value = str | Reference | Deferred
