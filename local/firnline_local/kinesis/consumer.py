"""A registered consumer: a name with an ARN of its own, by which rights to be pushed records are given."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True)
class Consumer:
    name: str
    stream_arn: str
    created_ms: int
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        """Ends with when it was registered, so that a later consumer of the same name is another one."""
        return f"{self.stream_arn}/consumer/{self.name}:{self.created_ms // 1000}"

    def as_json(self) -> dict[str, Any]:
        return {
            "ConsumerName": self.name,
            "ConsumerARN": self.arn,
            "ConsumerStatus": "ACTIVE",
            "ConsumerCreationTimestamp": self.created_ms / 1000,
        }
