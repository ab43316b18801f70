"""rename: other names for keys, all of an object at once."""

from collections import defaultdict
from collections.abc import Mapping

from firnline_ingest.config.field_path import Step, steps_of
from firnline_ingest.config.transforms import RenameTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document, Members, opened
from firnline_ingest.transforms.errors import Untransformable


def rename(of: RenameTransform) -> Apply:
    names: dict[tuple[Step, ...], dict[Step, str]] = defaultdict(dict)
    for path, name in of.fields.items():
        *way, key = steps_of(path)
        names[tuple(way)][key] = name
    deepest_first = sorted(names.items(), key=lambda each: -len(each[0]))  # so that every path names what came in

    def apply(document: Document, _: Origin) -> None:
        for way, of_object in deepest_first:
            for holder, key in document.places(way):
                members = holder[key] = opened(holder[key])
                if isinstance(members, dict) and not of_object.keys().isdisjoint(members):
                    holder[key] = _renamed(members, of_object)
                    document.is_changed = True

    return apply


def _renamed(members: Members, names: Mapping[Step, str]) -> Members:
    """In their order. Raises Untransformable where two would have one name."""
    renamed = {names.get(key, key): value for key, value in members.items()}
    if len(renamed) < len(members):
        taken = next(name for key, name in names.items() if key in members and _is_twice(name, members, names))
        raise Untransformable(f"{taken} is there already")
    return renamed


def _is_twice(name: str, members: Members, names: Mapping[Step, str]) -> bool:
    return sum(names.get(key, key) == name for key in members) > 1
