"""A point at which a provider stops, so that a test can kill the engine there.

FIRNLINE_LOCAL_PAUSE is a JSON object: {"when": "before" or "after" the effect, "call": "create", "update" or "delete", "type":
a token, "marker": a file, "skip": a number, "seen": lines of such a file}. Patterns with * are taken too. The first calls that
match go on, as many as are skipped (none, where it is not said), counted over all providers of the engine; every later one adds
a line to the file (the call, the type, the name), and then waits for its end. A call that was seen once stops after its
effect; one that was seen twice goes on.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

VARIABLE = "FIRNLINE_LOCAL_PAUSE"
NEVER = ""


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
    seen: Sequence[str] = ()
    wait: Callable[[], None] = for_ever

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> Self:
        text = variables.get(VARIABLE)
        if not text:
            return cls()
        said = json.loads(text)
        return cls(**{**said, "marker": Path(said["marker"])})

    def at(self, when: str, call: str, token: str, name: str) -> None:
        here = f"{call} {token} {name}"
        side = [self.when, "after", NEVER][min(self.seen.count(here), 2)]
        pairs = ((when, side), (call, self.call), (token, self.type))
        if all(fnmatchcase(name, pattern) for name, pattern in pairs) and self._number_of_this_call() >= self.skip:
            with self.marker.open("a") as marker:  # one line of several threads and processes at a time
                marker.write(f"{here}\n")
            self.wait()

    def _number_of_this_call(self) -> int:
        """From 0: the bytes in a file beside the marker, to which each call of every process adds one."""
        with self.marker.with_name(f"{self.marker.name}.calls").open("ab", buffering=0) as calls:
            calls.write(b".")
            return calls.tell() - 1
