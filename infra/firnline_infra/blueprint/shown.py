"""How the parts of a blueprint are made, show and compare themselves."""

from dataclasses import FrozenInstanceError, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def part(class_: type[_T]) -> type[_T]:
    """A frozen dataclass of a blueprint, of Shown; its fields are given by name."""
    return dataclass(kw_only=True, repr=False, eq=False)(class_)


class Shown:
    """What is done with the fields of a part as dataclasses do it, by one method for all of them.

    Writing their own for each of forty classes takes an eighth of what everybody waits for who reads a specification.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):
            raise FrozenInstanceError(f"{name!r} of {type(self).__qualname__} is what it is; see dataclasses.replace")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"{name!r} of {type(self).__qualname__} stays")

    def __repr__(self: "DataclassInstance") -> str:
        values: list[tuple[str, Any]] = [(each.name, getattr(self, each.name)) for each in fields(self)]
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))
