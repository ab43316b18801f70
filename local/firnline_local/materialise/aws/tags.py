"""Tags: a mapping in Pulumi's words, a list of keys and values in those of most services."""

from collections.abc import Iterable, Mapping
from typing import Any

from firnline_local.materialise.resource import Properties


def tags_of(inputs: Properties) -> dict[str, str]:
    """The inputs' tags, with the provider's own (`tagsAll`) where those were merged in already."""
    return dict(inputs.get("tagsAll") or inputs.get("tags") or {})


def as_list(tags: Mapping[str, str], *, key: str = "Key", value: str = "Value") -> list[dict[str, str]]:
    return [{key: name, value: text} for name, text in tags.items()]


def as_outputs(tags: Iterable[Mapping[str, Any]] | Mapping[str, str], known: Properties) -> dict[str, Any]:
    """`tagsAll` is what was found; `tags` is that without the provider's own, which are known by being in no `tags`."""
    found = dict(tags) if isinstance(tags, Mapping) else {tag["Key"]: tag.get("Value", "") for tag in tags}
    said = known.get("tags") or {}
    of_provider = {key: value for key, value in (known.get("tagsAll") or {}).items() if key not in said}
    own = {key: value for key, value in sorted(found.items()) if of_provider.get(key) != value}
    return {"tags": own, "tagsAll": dict(sorted(found.items()))}


def difference(old: Properties, new: Properties) -> tuple[dict[str, str], list[str]]:
    """Tags to set, and keys to remove."""
    had, wanted = tags_of(old), tags_of(new)
    to_set = {key: value for key, value in wanted.items() if had.get(key) != value}
    return to_set, [key for key in had if key not in wanted]
