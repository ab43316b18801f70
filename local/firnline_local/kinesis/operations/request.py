"""The shape of requests: fields under their names in the API's model, with the constraints that it puts on them.

A field that no request here declares is refused by name, so that nothing a client asks for is silently left out.
"""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from firnline_local.clock import milliseconds
from firnline_local.kinesis.stream import KinesisAccount, Stream


def wire_name(field: str) -> str:
    return field.title().replace("_", "").replace("Arn", "ARN").replace("Kib", "KiB")


class ApiRequest(msgspec.Struct, rename=wire_name, forbid_unknown_fields=True):
    pass


Name = Annotated[str, Meta(min_length=1, max_length=128, pattern=r"^[a-zA-Z0-9_.-]+$")]
Count = Annotated[int, Meta(ge=1)]
Timestamp = float | datetime  # seconds since the epoch on the wire


class StreamRequest(ApiRequest):
    stream_name: Name | None = None
    stream_arn: str | None = None

    def stream(self, account: KinesisAccount) -> Stream:
        """Raises ResourceNotFoundException."""
        return account.find(name=self.stream_name, arn=self.stream_arn)


def timestamp_ms(timestamp: Timestamp) -> int:
    moment = timestamp if isinstance(timestamp, datetime) else datetime.fromtimestamp(timestamp, UTC)
    return milliseconds(moment)
