"""What is passing ends no roll-out: between two engines nothing is read, and a throttled call is no reason to leave it so.

Each AWS client has tried a few times by itself before an error comes here.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from firnline_ingest.errors import FirnlineError

PATIENCE_S, PAUSE_S = 60.0, 3.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    sleep: Callable[[float], object]
    clock: Callable[[], float]

    def ask(self, ask: Callable[[], T]) -> T:
        """Repeated for a minute while what it raises is passing, and then raised."""
        until_s = self.clock() + PATIENCE_S
        while True:
            try:
                return ask()
            except FirnlineError as error:
                if not error.is_retryable or self.clock() > until_s:
                    raise
            self.sleep(PAUSE_S)

    def with_(self, collaborator: T, *, but: Collection[str] = ()) -> T:
        """The same collaborator, all of whose calls are asked like that, but the ones that are named."""
        return cast("T", _Patient(collaborator, self, but))


class _Patient:
    def __init__(self, of: object, patience: Patience, but: Collection[str]) -> None:
        self._of, self._patience, self._but = of, patience, but

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        if name in self._but or not callable(found):
            return found
        return lambda *args, **named: self._patience.ask(lambda: found(*args, **named))
