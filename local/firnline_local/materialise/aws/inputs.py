"""What was asked for: which inputs are carried here, which of them differ, and policies and tags as services take them.

Tags are a mapping in Pulumi's words, and a list of keys and values in those of most services.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from firnline_local.errors import InputNotCarried
from firnline_local.materialise.resource import Properties, Rules


def require_carried(type_: str, inputs: Properties, carried: frozenset[str], *, region: str) -> None:
    """Raises InputNotCarried: nothing is made believe. The one region that exists here may be named."""
    given = {name for name, value in inputs.items() if value is not None}
    if inputs.get("region") == region:
        given.discard("region")
    if foreign := given - carried:
        raise InputNotCarried(type_, sorted(foreign), carried=sorted(carried))


def changed(old: Properties, new: Properties, rules: Rules) -> set[str]:
    """The inputs that have another value now; an absent one has its default."""
    return {name for name in {*old, *new} if value_of(name, old, rules) != value_of(name, new, rules)}


def value_of(name: str, inputs: Properties, rules: Rules) -> Any:
    given = inputs.get(name)
    return rules.defaults.get(name) if given is None else given


def of_block(inputs: Properties, block: str, field: str, default: Any = None) -> Any:
    """A field of a nested input that may be absent."""
    content = inputs.get(block)
    return content.get(field, default) if isinstance(content, Mapping) else default


def as_document(policy: Any) -> str:
    """The JSON text of a policy, which a program or a client may give as a mapping."""
    return policy if isinstance(policy, str) else json.dumps(policy)


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


def tag_difference(old: Properties, new: Properties) -> tuple[dict[str, str], list[str]]:
    """Tags to set, and keys to remove."""
    had, wanted = tags_of(old), tags_of(new)
    to_set = {key: value for key, value in wanted.items() if had.get(key) != value}
    return to_set, [key for key in had if key not in wanted]
