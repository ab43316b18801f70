"""A transient error ends no roll-out: between two engines nothing is read, and a throttled call is no reason to leave it so.

Each AWS client has tried a few times by itself before an error comes here.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from firnline_ingest.errors import FirnlineError

TIMEOUT_S, PAUSE_S = 60.0, 3.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryBudget:
    sleep: Callable[[float], object]
    clock: Callable[[], float]

    def ask(self, ask: Callable[[], T]) -> T:
        """Asks again for a minute while the answer is a transient error, and raises it then."""
        until_s = self.clock() + TIMEOUT_S
        while True:
            try:
                return ask()
            except FirnlineError as error:
                if not error.is_retryable or self.clock() > until_s:
                    raise
            self.sleep(PAUSE_S)

    def with_(self, collaborator: T, *, but: Collection[str] = ()) -> T:
        """The same collaborator, with all its calls asked like that but the named ones."""
        return cast("T", _Retrying(collaborator, self, but))


class _Retrying:
    def __init__(self, of: object, budget: RetryBudget, but: Collection[str]) -> None:
        self._of, self._budget, self._but = of, budget, but

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        if name in self._but or not callable(found):
            return found
        return lambda *args, **named: self._budget.ask(lambda: found(*args, **named))
