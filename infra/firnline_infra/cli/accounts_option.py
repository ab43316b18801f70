"""The accounts that a command works in: the real ones, or those of a package that is installed beside ours.

Such a package names an AccountsPlace in the entry point group `firnline.accounts`. It adds options to every command that
works in accounts, and answers when a person has given one of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from firnline_infra.cli.environment_argument import env_argument
from firnline_infra.cli.lazy_group import added_in

if TYPE_CHECKING:
    from firnline_infra.accounts import Accounts
    from firnline_infra.specification import EnvironmentSpec

GROUP = "firnline.accounts"


class AccountsPlace(Protocol):
    parameters: Sequence[str]
    """The names under which click hands over the values of its options."""

    def add_options(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a command with the options."""

    def options_text(self, values: Mapping[str, Any]) -> str:
        """The options again, as they were typed; empty where none was."""

    def accounts(self, spec: "EnvironmentSpec", values: Mapping[str, Any]) -> "Accounts":
        """Asked only where an option was typed."""


@dataclass(frozen=True)
class ChosenAccounts:
    """The typed option, before any SDK is loaded."""

    place: AccountsPlace | None
    """None: the real accounts."""
    values: Mapping[str, Any]

    def of(self, spec: "EnvironmentSpec") -> "Accounts":
        if self.place is None:
            from firnline_infra.accounts.real import RealAccounts

            return RealAccounts(spec)
        return self.place.accounts(spec, self.values)

    def env_argument(self, environment: Path) -> str:
        """ENV with these options: a command that a person is told next has to mean the same accounts."""
        options = self.place.options_text(self.values) if self.place else ""
        return f"{env_argument(environment)} {options}".strip()


def accounts_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of every installed place, and gives the command one parameter, `accounts`: a ChosenAccounts."""
    places = _installed()

    @wraps(command)
    def with_accounts(**values: Any) -> Any:
        given = {name: values.pop(name) for place in places for name in place.parameters}
        chosen = next((place for place in places if place.options_text(given)), None)
        return command(accounts=ChosenAccounts(chosen, given), **values)

    decorated: Callable[..., Any] = with_accounts
    for place in places:
        decorated = place.add_options(decorated)
    return decorated


@cache
def _installed() -> tuple[AccountsPlace, ...]:
    """Loaded once: some twenty commands have these options."""
    return tuple(point.load() for point in added_in(GROUP))
