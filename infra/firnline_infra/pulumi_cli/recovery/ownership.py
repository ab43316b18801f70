"""Whether an object that exists is the one that a killed create was making.

It is, if it carries what the create was to put on it: its tags, or its comment. An object that can carry neither (an
alias, a policy's attachment) has to be what it would have been made.
"""

import json
from collections.abc import Mapping
from typing import Any

Properties = Mapping[str, Any]


def why_foreign(wanted: Properties, found: Properties) -> str | None:
    """None where it is ours. `wanted` are the create's inputs, `found` is what the object has."""
    if tags := wanted.get("tags"):
        carried = found.get("tagsAll") or found.get("tags") or {}
        missing = [f"{key}={value}" for key, value in sorted(tags.items()) if carried.get(key) != value]
        return f"it lacks the tag {', '.join(missing)}" if missing else None
    if comment := wanted.get("comment"):
        has = found.get("comment") or ""
        return None if has == comment else f"its comment is {has!r}, and not {comment!r}"
    for name, value in sorted(wanted.items()):
        if not name.startswith("__") and not _same(value, found.get(name)):
            return f"its {name} is {found.get(name)!r}, and not {value!r}"
    return None


def _same(wanted: Any, found: Any) -> bool:
    """Documents in strings are compared as documents, an ARN by its id too, a name of Snowflake's with or without its
    quotes; nothing at all and empty are the same.
    """
    if wanted == found or (not wanted and not found):
        return True
    if isinstance(wanted, str) and isinstance(found, str):
        if wanted.startswith("arn:") and wanted.rpartition("/")[2] == found:
            return True
        if wanted.replace('"', "") == found.replace('"', ""):
            return True
        try:
            return bool(json.loads(wanted) == json.loads(found))
        except ValueError:
            return False
    return False
