"""rename: other names for keys, all of an object at once."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.field_path import FieldPaths, Step, steps_of
from firnline_ingest.config.transform import KeyName, Transform
from firnline_ingest.records.rejection import Untransformable

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document, Members


class RenameTransform(Transform):
    """Gives keys other names, all at once: so two may change places."""

    order = 50
    makes_keys = True
    takes_keys = True

    type: Literal["rename"]
    """Other names for keys."""
    fields: Annotated[dict[FieldPaths, KeyName], Field(min_length=1)]
    """The path of a field, and its new key; it stays in its object. One that is not there is not renamed."""

    @model_validator(mode="after")
    def _renames_keys(self) -> Self:
        if items := [path for path in self.fields if path.endswith("[]")]:
            raise ValueError(f"{items[0]} names the items of an array, which have no names")
        return self

    @property
    def paths(self) -> Collection[str]:
        return self.fields

    @property
    def keys_made(self) -> Sequence[str]:
        return [key for path, key in self.fields.items() if len(steps_of(path)) == 1]

    def compiled(self) -> "Apply":
        names: dict[tuple[Step, ...], dict[Step, str]] = defaultdict(dict)
        for path, name in self.fields.items():
            *way, key = steps_of(path)
            names[tuple(way)][key] = name
        deepest_first = sorted(names.items(), key=lambda each: -len(each[0]))  # so that every path names what came in

        def apply(document: "Document", _: "Origin") -> None:
            for way, of_object in deepest_first:
                for holder, key in document.places(way):
                    members = holder[key] = document.opened(holder[key])
                    if isinstance(members, dict) and not of_object.keys().isdisjoint(members):
                        holder[key] = _renamed(members, of_object)
                        document.is_changed = True

        return apply


def _renamed(members: "Members", names: Mapping[Step, str]) -> "Members":
    """The members in their order under their new names. Raises Untransformable if two would have one name."""
    renamed = {names.get(key, key): value for key, value in members.items()}
    if len(renamed) < len(members):
        taken = next(name for key, name in names.items() if key in members and _is_twice(name, members, names))
        raise Untransformable(f"{taken} is there already")
    return renamed


def _is_twice(name: str, members: "Members", names: Mapping[Step, str]) -> bool:
    return sum(names.get(key, key) == name for key in members) > 1
