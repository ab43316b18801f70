"""The machine code of two steps of the engine, where it is installed: records to rows, and pages in CBOR to records.

`firnline-native` is an optional wheel of the engine's own version. Without it, and with one that does not fit, the same steps
run in Python, with the same bytes, rejects and reasons.
"""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol, cast

SWITCH = "FIRNLINE_NATIVE"
"""The environment variable that keeps everything in Python where it is `off`, on the driver and on every executor."""
MODULE, ENGINE = "firnline_native", "firnline-ingest"

log = logging.getLogger(__name__)


class PlainRows(Protocol):
    """Makes rows of one shard's records that are like records before."""

    def learn(self, payload: bytes, unknown: int, unanswered: int, /) -> bool:
        """Takes a payload that became a row byte by byte, and what tables lack of its keys."""

    def forget(self) -> None:
        """Forgets every payload that it learned."""

    def make(
        self, records: list[Any], start: int, pushed: bytes, are_of_aggregates: bool, /
    ) -> tuple[list[bytes], int, int]:
        """Returns the rows of records from `start` up to the first that is not like any, and what tables lack of their keys."""


Template = Sequence[tuple[bytes, int]]


class NativeModule(Protocol):
    """Interface of the module in firnline-native; its own files describe each part."""

    @property
    def PlainRows(self) -> Callable[[Template, Template, int], PlainRows]: ...  # noqa: N802 - a class is made by it

    @property
    def decode_page(self) -> Callable[[bytes, Callable[..., Any]], dict[str, Any]]: ...

    @property
    def decode_value(self) -> Callable[[bytes], Any]: ...


@dataclass(frozen=True, slots=True)
class Native:
    """The wheel's module, or None and why not."""

    module: NativeModule | None
    why_not: str = ""
    is_expected: bool = True
    """False where there is a wheel, and it can't be used."""

    def __str__(self) -> str:
        return "firnline-native" if self.module is not None else f"Python ({self.why_not})"


@cache
def native() -> Native:
    """Returns what this process uses, from its first question to its end; never raises."""
    found = find_native(os.environ)
    if not found.is_expected:
        log.warning("native.unused", extra={"cause": found.why_not})
    return found


def find_native(environ: Mapping[str, str], load: Callable[[str], Any] = import_module) -> Native:
    if environ.get(SWITCH, "").lower() == "off":
        return Native(None, f"{SWITCH} is off")
    try:
        module = load(MODULE)
        found = str(module.__version__)
    except ModuleNotFoundError:
        return Native(None, "firnline-native is not installed")
    except Exception as error:  # of another architecture, of another libc, cut short: whatever it is, rows are made
        return Native(None, f"firnline-native can't be loaded: {error}", is_expected=False)
    if found != (own := _own_version()):
        return Native(None, f"firnline-native {found} is installed, and the engine is {own}", is_expected=False)
    return Native(cast("NativeModule", module))


def _own_version() -> str:
    try:
        return version(ENGINE)
    except PackageNotFoundError:
        return "of an unknown version"
