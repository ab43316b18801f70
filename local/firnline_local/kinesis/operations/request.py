"""The shape of requests: fields under their names in the API's model, with the constraints that it puts on them.

A field that no request here declares is refused by name, so that nothing a client asks for is silently left out.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from firnline_local.clock import milliseconds
from firnline_local.kinesis.errors import FakeKinesisError, in_use, not_found
from firnline_local.kinesis.stream import ACTIVE, CREATING, KinesisAccount, Stream


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

    def made_stream(self, account: KinesisAccount) -> Stream:
        """The stream to read or write. Raises ResourceNotFoundException for one that is being made, as kinesalite does: it has no
        shards yet.
        """
        stream = self.stream(account)
        if stream.status(account.now_ms()) == CREATING:
            raise self._not_found(stream, account)
        return stream

    def written_stream(self, account: KinesisAccount) -> Stream:
        """The stream to write. Raises ResourceNotFoundException for one that is given by its name and ACTIVE for less than the
        account's `settling_s` (kdgregory/log4j-aws-appenders #204, aws/aws-sdk-java-v2 #5041).
        """
        stream = self.made_stream(account)
        if self.stream_arn is None and account.now_ms() < stream.active_ms + round(account.settling_s * 1000):
            raise self._not_found(stream, account)
        return stream

    def _not_found(self, stream: Stream, account: KinesisAccount) -> FakeKinesisError:
        return not_found(f"Stream {stream.name} under account {account.account_id} not found.")


Of = TypeVar("Of", bound=StreamRequest)
Answer = TypeVar("Answer")


def changing(change: Callable[[KinesisAccount, Of], Answer]) -> Callable[[KinesisAccount, Of], Answer]:
    """Returns the operation, of a stream that is ACTIVE alone, and UPDATING for a while behind it (API reference of SplitShard,
    UpdateShardCount, StartStreamEncryption and the others).
    """

    def changed(account: KinesisAccount, request: Of) -> Answer:
        require_active(request.stream(account), account)
        answer = change(account, request)
        request.stream(account).updated_ms = account.now_ms() + round(account.updating_s * 1000)
        return answer

    return changed


def require_active(stream: Stream, account: KinesisAccount) -> None:
    """Raises ResourceInUseException."""
    status = stream.status(account.now_ms())
    if status != ACTIVE:
        raise in_use(f"Stream {stream.name} under account {account.account_id} not ACTIVE, instead in state {status}")


def timestamp_ms(timestamp: Timestamp) -> int:
    moment = timestamp if isinstance(timestamp, datetime) else datetime.fromtimestamp(timestamp, UTC)
    return milliseconds(moment)
