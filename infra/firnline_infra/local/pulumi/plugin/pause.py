"""A point at which a provider stops, so that a test can kill the engine there.

FIRNLINE_LOCAL_PAUSE is a JSON object: {"when": "before" or "after" the effect, "call": "create", "update" or "delete", "type":
a token, "marker": a file}. The provider makes the file and then waits for its end.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    wait: Callable[[], None] = for_ever

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> Self:
        text = variables.get(VARIABLE)
        if not text:
            return cls()
        said = json.loads(text)
        return cls(when=said["when"], call=said["call"], type=said["type"], marker=Path(said["marker"]))

    def at(self, when: str, call: str, token: str) -> None:
        if (when, call, token) == (self.when, self.call, self.type):
            self.marker.touch()
            self.wait()
