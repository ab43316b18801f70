"""Single message transforms of Kafka Connect, as far as a transform here does the same to the value of a record."""

from collections.abc import Callable, Mapping
from typing import Any

from firnline_infra.specification.other_connectors.taken_over import TakenOver, text_of

Options = Mapping[str, str]
NONE = "no transform here is made of it: see docs/transforms.md, which has a callable for what no other does"
PREDICATE = "predicate"
CASTS = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), "integer"),
    **dict.fromkeys(("float32", "float64"), "number"),
    "boolean": "boolean",
    "string": "text",
}


def transforms_of(taken: TakenOver, config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the transforms that `transforms` names, in its order. One that can't be taken over is left, with its options."""
    names = [each.strip() for each in text_of(config, "transforms").split(",") if each.strip()]
    found: list[dict[str, Any]] = []
    for name in names:
        prefix = f"transforms.{name}."
        options = {each.removeprefix(prefix): text_of(config, each) for each in config if each.startswith(prefix)}
        kind = options.pop("type", "").rpartition(".")[2]
        make = MAKERS.get(kind)
        made = make(options) if make is not None else None
        if made is None:
            reason = (
                "no transform here applies to some records alone: see docs/transforms.md"
                if PREDICATE in options
                else NONE
            )
            taken.leave(f"{prefix}type", kind, reason)
            for option, value in options.items():
                taken.leave(f"{prefix}{option}", value, f"of {name}, which was not taken over")
            continue
        path = f"pipelines[].transforms[{len(found)}]"
        found += made
        for option in ("type", *options):
            taken.take(f"{prefix}{option}", path)
    if found:
        taken.take("transforms", "pipelines[].transforms")
    elif names:
        taken.leave("transforms", ", ".join(names), "none of them was taken over")
    return found


def _only(options: Options, *known: str) -> bool:
    return options.keys() <= set(known)


def _names(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _pairs(text: str) -> dict[str, str]:
    return {name.strip(): value.strip() for name, _, value in (each.partition(":") for each in _names(text))}


def _hoist(options: Options) -> list[dict[str, Any]] | None:
    field = options.get("field")
    return [{"type": "hoist", "field": field}] if field and _only(options, "field") else None


def _extract(options: Options) -> list[dict[str, Any]] | None:
    field = options.get("field")
    return [{"type": "extract", "field": field}] if field and _only(options, "field") else None


def _mask(options: Options) -> list[dict[str, Any]] | None:
    """Kafka's own replacement is the empty value of the field's type; here it is null, unless one is given."""
    fields, replacement = _names(options.get("fields", "")), options.get("replacement")
    if not fields or replacement is None or not _only(options, "fields", "replacement"):
        return None
    return [{"type": "mask", "fields": fields, "replacement": replacement}]


def _replace(options: Options) -> list[dict[str, Any]] | None:
    if not _only(options, "exclude", "blacklist", "renames"):
        return None
    excluded = _names(options.get("exclude") or options.get("blacklist", ""))
    renamed = _pairs(options.get("renames", ""))
    made: list[dict[str, Any]] = [{"type": "exclude", "fields": excluded}] if excluded else []
    return [*made, *([{"type": "rename", "fields": renamed}] if renamed else [])] or None


def _flatten(options: Options) -> list[dict[str, Any]] | None:
    delimiter = options.get("delimiter", ".")  # Kafka Connect's default; here it is _
    return [{"type": "flatten", "delimiter": delimiter}] if _only(options, "delimiter") else None


def _cast(options: Options) -> list[dict[str, Any]] | None:
    fields = _pairs(options.get("spec", ""))
    if not fields or not set(fields.values()) <= CASTS.keys() or not _only(options, "spec"):
        return None
    return [{"type": "cast", "fields": {name: CASTS[kind] for name, kind in fields.items()}}]


def _insert(options: Options) -> list[dict[str, Any]] | None:
    field, value = options.get("static.field"), options.get("static.value")
    if not field or value is None or not _only(options, "static.field", "static.value"):
        return None
    return [{"type": "insert", "field": field, "value": value}]


MAKERS: Mapping[str, Callable[[Options], list[dict[str, Any]] | None]] = {
    "HoistField$Value": _hoist,
    "ExtractField$Value": _extract,
    "MaskField$Value": _mask,
    "ReplaceField$Value": _replace,
    "Flatten$Value": _flatten,
    "Cast$Value": _cast,
    "InsertField$Value": _insert,
}
"""By the class, without its package; each returns None for options that it does not take over whole."""
