"""The SDK as our side of it sees it, stood in for."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.values import TargetTable
from tests.fakes.configs import config


class SdkError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.error_code = SimpleNamespace(value=code)


def status(token: str | None, rows: int = 0) -> SimpleNamespace:
    return SimpleNamespace(
        status_code="SUCCESS",
        latest_committed_offset_token=token,
        created_on=datetime(2026, 11, 22, tzinfo=UTC),
        rows_inserted_count=rows,
        rows_error_count=0,
        last_error_message=None,
        last_error_offset_token_upper_bound=None,
        last_refreshed_on=datetime.now(),
    )


class PanicException(BaseException):
    """A panic as PyO3 has it: not an Exception."""


@dataclass
class Client:
    """Has every channel at `committed`; what it says of a channel later is in `cached`."""

    committed: str | None = None
    cached: str | None = None
    is_invalid: bool = False
    is_refused: bool = False
    is_closed: bool = False
    opened: list[str] = field(default_factory=list)
    registered: set[str] = field(default_factory=set)
    asked: int = 0
    panics: str = ""
    """What it panics in: open, status or append."""
    hangs: threading.Event | None = None
    """Until then, a question about its channels has no answer."""

    def open_channel(self, name: str) -> tuple[Any, Any]:
        self.panic("open")
        self.refuse()
        if name in self.registered:
            raise SdkError("ChannelAlreadyExists")
        self.registered.add(name)
        self.opened.append(name)
        return Handle(self, name), status(self.committed)

    def get_channel_statuses(self, names: list[str]) -> dict[str, Any]:
        self.asked += 1
        self.panic("status")
        if self.hangs is not None:
            self.hangs.wait(20)
        return {name: status(self.cached) for name in names}

    def panic(self, place: str) -> None:
        if self.panics == place:
            raise PanicException("called `Option::unwrap()` on a `None` value")

    def close(self, *, wait_for_flush: bool) -> None:
        self.is_closed = True

    def refuse(self) -> None:
        if self.is_refused:
            raise SdkError("SfApiAuthError")
        if self.is_invalid or self.is_closed:
            raise SdkError("InvalidClientError")


@dataclass
class Handle:
    client: Client
    name: str
    code: str | None = None
    unclosable: int = 0
    """Attempts to close it that fail."""

    def append_rows(self, rows: object, *, start_offset_token: str, end_offset_token: str) -> None:
        self.client.panic("append")
        self.client.refuse()
        if self.code:
            raise SdkError(self.code)

    def close(self, **options: object) -> None:
        if self.unclosable:
            self.unclosable -= 1
            raise SdkError("NonFatal")
        self.client.registered.discard(self.name)


class Channels(SdkChannels):
    """Makes clients of ours."""

    def __init__(self, *clients: Client, **clocks: Callable[[], float]) -> None:
        super().__init__(config(), **clocks)
        self.unused = list(clients)

    def _new_client(self, target: TargetTable) -> Any:
        if "KEY" in os.environ:
            self._key.read()
        return self.unused.pop(0)


def append(channel: Any) -> None:
    channel.append([b"{}"], start="1", end="2")
