"""Refusals of the real provider about a resource's inputs, all at once: names, shapes, values, conflicts.

Components' tests call `check_inputs` on what they register; the embedded providers call it before anything is made.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from firnline_ingest.errors import did_you_mean
from firnline_local.errors import UnknownTypeToken
from firnline_local.providers.kind import Rules
from firnline_local.providers.registry import kind_of
from firnline_local.pulumi.coerce import fits
from firnline_local.pulumi.properties import UNKNOWN
from firnline_local.pulumi.property_names import DOCUMENTS
from firnline_local.pulumi.schema import Fields, Shape, ShapeKind, fields_of, made_up_of

SHOWN = 40
SAID = {
    ShapeKind.STRING: "a text",
    ShapeKind.NUMBER: "a number",
    ShapeKind.BOOL: "true or false",
    ShapeKind.LIST: "a list",
    ShapeKind.SET: "a list",
    ShapeKind.MAP: "a mapping",
    ShapeKind.OBJECT: "an object",
}


def check_inputs(
    token: str,
    inputs: Mapping[str, Any],
    *,
    preview_features: Collection[str] | None = None,
    secrets: Collection[str] = (),
) -> list[str]:
    """Each problem as `property: what is wrong`; none where the provider would take the inputs.

    Inputs are plain values in Pulumi's names. `preview_features` are those that the provider's configuration enables;
    where they are not given, they are not looked at. Values of `secrets` are not shown.
    """
    try:
        rules = kind_of(token).rules
    except UnknownTypeToken as error:
        return [error.what]
    fields = fields_of(token)
    made_up, document = made_up_of(token), DOCUMENTS.get(token)
    given = {name: value for name, value in inputs.items() if not (name == document and isinstance(value, Mapping))}
    needed = {name: field for name, field in fields.items() if name != made_up and name not in inputs}
    problems = [
        *_unknown("", given, fields),
        *_mistyped("", given, fields, hidden=frozenset(secrets)),
        *(f"{name}: is required." for name, field in needed.items() if field.required),
        *_foreign_values(given, rules, hidden=frozenset(secrets)),
        *_conflicts(given, rules),
        *_lacking(given, rules),
        *_out_of_bounds(given, rules, hidden=frozenset(secrets)),
        *_no_documents(given, rules),
        *_preview_feature(rules, preview_features),
    ]
    if problems or _has_unknowns(given):
        return problems
    return [problem for check in rules.checks for problem in check(given)]


def check_shape(fields: Fields, values: Mapping[str, Any]) -> list[str]:
    """The part that needs no rules, for a provider's own configuration."""
    return [*_unknown("", values, fields), *_mistyped("", values, fields, hidden=frozenset(values))]


def _unknown(path: str, values: Mapping[str, Any], fields: Fields) -> Iterator[str]:
    known = [name for name, field in fields.items() if field.is_input]
    for name in values:
        if name not in fields:
            yield f"{path}{name}: unknown input; {did_you_mean(name, known)}"
        elif not fields[name].is_input:
            yield f"{path}{name}: is an output, and can't be given."


def _mistyped(path: str, values: Mapping[str, Any], fields: Fields, *, hidden: frozenset[str]) -> Iterator[str]:
    for name, value in values.items():
        if name in fields:
            yield from _mismatches(f"{path}{name}", value, fields[name].shape, hidden=name in hidden)


def _mismatches(path: str, value: Any, shape: Shape, *, hidden: bool) -> Iterator[str]:
    if value is None or value == UNKNOWN:
        return
    if not fits(shape, value):
        yield f"{path}: expected {SAID[shape.kind]}, got {_shown(value, hidden=hidden)}."
    elif shape.kind is ShapeKind.OBJECT:
        yield from _unknown(f"{path}.", value, shape.fields)
        everything = frozenset(value) if hidden else frozenset()
        yield from _mistyped(f"{path}.", value, shape.fields, hidden=everything)
        missing = (name for name, field in shape.fields.items() if field.required and value.get(name) is None)
        yield from (f"{path}.{name}: is required." for name in missing)
    elif shape.element is not None:
        elements = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, each in elements:
            yield from _mismatches(f"{path}[{key}]", each, shape.element, hidden=hidden)


def _foreign_values(inputs: Mapping[str, Any], rules: Rules, *, hidden: frozenset[str]) -> Iterator[str]:
    for path, allowed in rules.values.items():
        secret = path.partition(".")[0] in hidden
        for value in _at(path, inputs):
            if _spelt(value) not in allowed and value != UNKNOWN:
                hint = ", ".join(sorted(allowed))
                yield f"{path}: {_shown(value, hidden=secret)} is none of {hint}."


def _conflicts(inputs: Mapping[str, Any], rules: Rules) -> Iterator[str]:
    for group in rules.conflicts:
        given = sorted(path for path in group if any(True for _ in _at(path, inputs)))
        if len(given) > 1:
            yield f"{given[0]}: conflicts with {' and '.join(given[1:])}; give one of them."


def _lacking(inputs: Mapping[str, Any], rules: Rules) -> Iterator[str]:
    for group in rules.one_of:
        block = min(group).rpartition(".")[0]
        if block and not any(True for _ in _at(block, inputs)):
            continue
        if not any(True for path in group for _ in _at(path, inputs)):
            first, *others = sorted(group)
            yield f"{first}: one of {', '.join((first, *others))} must be specified."


def _spelt(value: Any) -> str:
    """Text as it is, and a whole number without the fraction that the wire gives it."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _out_of_bounds(inputs: Mapping[str, Any], rules: Rules, *, hidden: frozenset[str]) -> Iterator[str]:
    """Texts that have not the form or the length, and numbers outside their range."""
    for path, value, secret in _known(inputs, rules.forms, hidden):
        if not rules.forms[path].fits(_spelt(value)):
            yield f"{path}: {_shown(value, hidden=secret)} is not {rules.forms[path].words}."
    for path, value, _ in _known(inputs, rules.ranges, hidden):
        least, most = rules.ranges[path]
        if isinstance(value, int | float) and not least <= value <= most:
            yield f"{path}: expected to be in the range ({least} - {most}), got {value}."
    for path, value, _ in _known(inputs, rules.lengths, hidden):
        least, most = rules.lengths[path]
        if isinstance(value, str) and not least <= len(value) <= most:
            yield f"{path}: expected length to be in the range ({least} - {most}), got {len(value)}."


def _known(
    inputs: Mapping[str, Any], paths: Collection[str], hidden: frozenset[str]
) -> Iterator[tuple[str, Any, bool]]:
    """The path, each value there that is known, and whether it is secret."""
    for path in paths:
        yield from ((path, each, path.partition(".")[0] in hidden) for each in _at(path, inputs) if each != UNKNOWN)


def _no_documents(inputs: Mapping[str, Any], rules: Rules) -> Iterator[str]:
    for path, value, _ in _known(inputs, rules.documents | rules.json, frozenset()):
        if not isinstance(value, str):
            continue
        try:
            found = json.loads(value)
        except ValueError as error:
            yield f"{path}: contains an invalid JSON: {error}."
            continue
        if path in rules.documents and not isinstance(found, dict):
            yield f"{path}: expected a JSON object, which begins with a brace."


def _has_unknowns(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_unknowns, value.values()))
    return any(map(_has_unknowns, value)) if isinstance(value, list) else bool(value == UNKNOWN)


def _preview_feature(rules: Rules, enabled: Collection[str] | None) -> Iterator[str]:
    feature = rules.preview_feature
    if feature is not None and enabled is not None and feature not in enabled:
        yield (
            f"previewFeaturesEnabled: {feature} is a preview feature of the provider and has to be in this list "
            f"of its configuration."
        )


def _at(path: str, value: Any) -> Iterator[Any]:
    """Yields what is at a dotted path, in each element of the lists on the way."""
    if isinstance(value, list):
        for each in value:
            yield from _at(path, each)
        return
    first, _, rest = path.partition(".")
    found = value.get(first) if isinstance(value, Mapping) else None
    if rest:
        yield from _at(rest, found)
    elif isinstance(found, list):
        yield from found
    elif found is not None:
        yield found


def _shown(value: Any, *, hidden: bool) -> str:
    if hidden:
        return "a value that is not shown"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
