"""A point at which a provider stops, so that a test can kill the engine there.

FIRNLINE_LOCAL_PAUSE is a JSON object: {"when": "before" or "after" the effect, "call": "create", "update" or "delete", "type":
a token, "marker": a file, "skip": a number}. Patterns with * are taken too. The first calls that match go on, as many as are
skipped (none, where it is not said); every later one adds its type to the file as a line, and then waits for its end.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path
from typing import Self

VARIABLE = "FIRNLINE_LOCAL_PAUSE"


def for_ever() -> None:
    threading.Event().wait()


@dataclass(frozen=True, kw_only=True)
class Pause:
    """Never, where it is made without arguments."""

    when: str = ""
    call: str = ""
    type: str = ""
    marker: Path = field(default_factory=Path)
    skip: int = 0
    wait: Callable[[], None] = for_ever
    _matched: Iterator[int] = field(default_factory=count, init=False, repr=False, compare=False)

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> Self:
        text = variables.get(VARIABLE)
        if not text:
            return cls()
        said = json.loads(text)
        return cls(**{**said, "marker": Path(said["marker"])})

    def at(self, when: str, call: str, token: str) -> None:
        pairs = ((when, self.when), (call, self.call), (token, self.type))
        if all(fnmatchcase(name, pattern) for name, pattern in pairs) and next(self._matched) >= self.skip:
            with self.marker.open("a") as marker:  # one line of several threads and processes at a time
                marker.write(f"{token}\n")
            self.wait()
