"""Values between a program and a service: which inputs differ, and what a service answers, in the words used before.

A service sorts a set, spaces a policy and completes a block in its own way; none of that is a change. Tags are a mapping in
Pulumi's words, and a list of keys and values in those of most services.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from firnline_local.errors import InputNotCarried
from firnline_local.providers.kind import Properties, Rules


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


def set_like(found: Sequence[Any], known: Any) -> list[Any]:
    """The elements in the known order if they are the same; else sorted."""
    in_order = sorted(found, key=_canonical)
    if isinstance(known, Sequence) and sorted(known, key=_canonical) == in_order:
        return list(known)
    return in_order


def document_like(found: str, known: Any) -> str:
    """The known text of a JSON document, where both are the same document; of a policy: give the same rights."""
    return known if isinstance(known, str) and _policy(known) == _policy(found) else found


def json_like(found: str, known: Any) -> str:
    """The known text, where both are the same JSON."""
    return known if isinstance(known, str) and json.loads(known) == json.loads(found) else found


def block_like(found: Properties, known: Any, unsaid: Properties) -> dict[str, Any]:
    """The block without what a service adds by itself: fields with the values of `unsaid` that were not known before."""
    said = known if isinstance(known, Mapping) else {}
    return {
        name: value
        for name, value in found.items()
        if value is not None and (name in said or name not in unsaid or unsaid[name] != value)
    }


def like(found: Any, known: Any) -> Any:
    """The known value, where it differs in nothing but what is empty."""
    return known if known is not None and _pruned(known) == _pruned(found) else found


def present(fields: Properties) -> dict[str, Any]:
    """The fields without those that have no value."""
    return {name: value for name, value in fields.items() if value is not None}


def none_if(error: Any, *codes: str) -> None:
    """Raises the client's error again unless its code is one of these, which say that the object doesn't exist."""
    if error.response["Error"]["Code"] not in codes:
        raise error


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _pruned(value: Any) -> Any:
    if isinstance(value, Mapping):
        content = {name: _pruned(each) for name, each in value.items()}
        return {name: each for name, each in content.items() if each not in (None, False, "", [], {})}
    return [_pruned(each) for each in value] if isinstance(value, list | tuple) else value


def _policy(text: str) -> Any:
    try:
        return _as_lists(json.loads(text))
    except ValueError:
        return text


def _as_lists(value: Any) -> Any:
    """IAM takes one element for a list of one, and the elements in any order (user guide, "Grammar of the IAM JSON policy
    language")."""
    if isinstance(value, Mapping):
        return {name: _as_lists(each) for name, each in value.items()}
    if isinstance(value, list):
        elements = sorted((_as_lists(each) for each in value), key=_canonical)
        return elements[0] if len(elements) == 1 else elements
    return value
