"""Differences between the two operators, once an application's object is there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.runtimes.service import RunState


@dataclass(frozen=True, slots=True)
class ApplicationStatus:
    """Status of a run, as its object has it."""

    state: RunState
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Flavour:
    """One operator."""

    name: str
    group: str
    status: Callable[[Mapping[str, Any]], ApplicationStatus]
    suspends: bool
    """The applications can be suspended; else their object is deleted."""
