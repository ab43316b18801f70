"""Each transform once more, from its page (docs/transforms.md): a function of a list that holds the record as its only item.

A callable is the user's own on both sides: it is called as the engine calls it, and what it returns is believed.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from firnline_infra.audit.readers.json_model import (
    UNKNOWN,
    UNKNOWN_DIGEST,
    Json,
    NotIngested,
    Number,
    Unknown,
    Unreadable,
    parsed,
    written,
)
from firnline_infra.audit.readers.timestamps import rewritten
from firnline_ingest.config.field_path import Each, Step, keys_of, steps_of
from firnline_ingest.config.transform import Transform
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.chain import Chain
from firnline_ingest.records.rejection import Filtered, Untransformable
from firnline_ingest.transforms.callable import CallableTransform
from firnline_ingest.transforms.cast import CastTo, CastTransform
from firnline_ingest.transforms.exclude import ExcludeTransform
from firnline_ingest.transforms.extract import ExtractTransform, Missing
from firnline_ingest.transforms.filter import FilterTransform
from firnline_ingest.transforms.flatten import FlattenTransform
from firnline_ingest.transforms.hoist import HoistTransform
from firnline_ingest.transforms.insert import Existing, InsertTransform
from firnline_ingest.transforms.mask import Hash, MaskTransform
from firnline_ingest.transforms.rename import RenameTransform
from firnline_ingest.transforms.timestamp import TimestampTransform

Root = list[Json]
Metadata = dict[str, Json]
"""What `insert` may put into a record, by the names of its option."""
Apply = Callable[[Root, Metadata, Record], None]
"""Raises Unreadable for what can't be transformed, NotIngested for what is filtered."""
NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d+))?([eE][+-]?\d{1,9})?", re.ASCII)
FAILED = "transform-failed"


def transforms_of(transforms: Sequence[Transform], stream: str, shard_id: str) -> list[Apply]:
    return [_apply_of(each, stream, shard_id) for each in transforms]


def _apply_of(transform: Transform, stream: str, shard_id: str) -> Apply:
    if isinstance(transform, CallableTransform):
        return _called(Chain([transform], stream=stream, shard_id=shard_id))
    apply = APPLY[type(transform)]
    return lambda root, metadata, _: apply(transform, root, metadata)


def _called(chain: Chain) -> Apply:
    def apply(root: Root, _: Metadata, record: Record) -> None:
        try:
            root[0] = parsed(chain(written(root[0]).encode(), record).decode())
        except Filtered:
            raise NotIngested("filtered") from None
        except Untransformable as error:
            raise Unreadable(FAILED, str(error)) from error

    return apply


def _places(holder: Any, key: Any, steps: Sequence[Step]) -> Iterator[tuple[Any, Any]]:
    if not steps:
        yield holder, key
    elif steps[0] is Each.ITEM and isinstance(holder[key], list):
        for index in range(len(holder[key])):
            yield from _places(holder[key], index, steps[1:])
    elif isinstance(holder[key], dict) and steps[0] in holder[key]:
        yield from _places(holder[key], steps[0], steps[1:])


def _at(root: Root, path: str) -> list[tuple[Any, Any]]:
    return list(_places(root, 0, steps_of(path)))


def _hoist(of: HoistTransform, root: Root, _: Metadata) -> None:
    root[0] = {of.field: root[0]}


def _extract(of: ExtractTransform, root: Root, _: Metadata) -> None:
    found = [holder[key] for holder, key in _at(root, of.field) if holder[key] is not None]
    if found:
        root[0] = found[0]
    elif of.missing is Missing.FILTER:
        raise NotIngested("filtered")
    elif of.missing is Missing.REJECT:
        raise Unreadable(FAILED, f"there is no {of.field}")


def _insert(of: InsertTransform, root: Root, metadata: Metadata) -> None:
    *way, last = keys_of(of.field)
    holder = root[0]
    for key in way:
        if isinstance(holder, dict):
            holder = holder.setdefault(key, {})
    if not isinstance(holder, dict):
        raise Unreadable(FAILED, f"what {of.field} goes into is not an object")
    if last in holder and of.existing is Existing.REJECT:
        raise Unreadable(FAILED, f"{of.field} is there already")
    if last not in holder or of.existing is Existing.REPLACE:
        holder[last] = _of_python(of.value) if of.metadata is None else metadata[of.metadata]


def _of_python(value: object) -> Json:
    """A value of the pipeline's options."""
    if isinstance(value, dict):
        return {key: _of_python(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_of_python(each) for each in value]
    return Number(repr(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _mask(of: MaskTransform, root: Root, _: Metadata) -> None:
    for path in of.fields:
        for holder, key in _at(root, path):
            holder[key] = _digest(holder[key]) if of.hash is Hash.SHA256 else _of_python(of.replacement)


def _digest(value: Json) -> Json:
    """UNKNOWN_DIGEST for an object or an array: how its texts were written is not known here, and so neither are its bytes."""
    if value is None:
        return value
    if isinstance(value, dict | list | Unknown):
        return UNKNOWN_DIGEST
    text = value if isinstance(value, str) else written(value)
    return hashlib.sha256(text.encode()).hexdigest()


def _rename(of: RenameTransform, root: Root, _: Metadata) -> None:
    objects: dict[tuple[Step, ...], dict[Step, str]] = {}
    for path, name in of.fields.items():
        *way, key = steps_of(path)
        objects.setdefault(tuple(way), {})[key] = name
    for place in sorted(objects, key=len, reverse=True):  # names of outer objects are still the old ones
        for holder, key in list(_places(root, 0, place)):
            if isinstance(holder[key], dict):
                renamed = [(objects[place].get(name, name), value) for name, value in holder[key].items()]
                if len(dict(renamed)) < len(renamed):
                    raise Unreadable(FAILED, "two keys would have one name")
                holder[key] = dict(renamed)


def _exclude(of: ExcludeTransform, root: Root, _: Metadata) -> None:
    for path in of.fields:
        for holder, key in _at(root, path):
            del holder[key]


def _cast(of: CastTransform, root: Root, _: Metadata) -> None:
    for path, to in of.fields.items():
        for holder, key in _at(root, path):
            value = holder[key]
            if isinstance(value, Unknown):
                _cast_unknown(value, to)
            elif value is not None:
                holder[key] = CASTS[to](value)


def _cast_unknown(value: Unknown, to: CastTo) -> None:
    """Raises Unreadable for what neither the text of an object or array nor a hash of 64 digits becomes."""
    if to in (CastTo.INTEGER, CastTo.NUMBER, CastTo.BOOLEAN) or (to is CastTo.JSON and value is UNKNOWN_DIGEST):
        raise _uncast(str(to))


def _to_text(value: Json) -> Json:
    if isinstance(value, dict | list):
        return UNKNOWN  # how its texts were written
    return value if isinstance(value, str) else written(value)


def _to_integer(value: Json) -> Json:
    if isinstance(value, bool):
        return Number("1" if value else "0")
    number = _decimal(value)
    if number is None or (number and not 0 <= number.adjusted() < 38) or number != int(number):
        raise _uncast("integer")
    return Number(str(int(number)))


def _to_number(value: Json) -> Json:
    if isinstance(value, bool):
        return Number("1" if value else "0")
    if isinstance(value, Number):
        return value
    if not isinstance(value, str) or (found := _number_in(value)) is None:
        raise _uncast("number")
    sign, whole, fraction, exponent = found.groups()
    minus, point = ("-" if sign == "-" else ""), ("." + fraction if fraction else "")
    return Number(f"{minus}{whole.lstrip('0') or '0'}{point}{exponent or ''}")


def _to_boolean(value: Json) -> Json:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    number = _decimal(value) if isinstance(value, Number) else None
    if number is None:
        raise _uncast("boolean")
    return number != 0


def _to_json(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    try:
        return parsed(value)
    except Unreadable as error:
        raise _uncast("json") from error


def _number_in(text: str) -> re.Match[str] | None:
    found = NUMBER.fullmatch(text.strip())
    return found if found and (found[2] or found[3]) else None


def _decimal(value: Json) -> Decimal | None:
    """The value as a number; None where it is none, or one beyond all that Decimal counts with."""
    if isinstance(value, str):
        return Decimal(value.strip()) if _number_in(value) else None
    if not isinstance(value, Number):
        return None
    try:
        return Decimal(value.text)
    except InvalidOperation:
        return None


def _uncast(to: str) -> Unreadable:
    return Unreadable(FAILED, f"it can't be {to}")


CASTS: dict[CastTo, Callable[[Json], Json]] = {
    CastTo.TEXT: _to_text,
    CastTo.INTEGER: _to_integer,
    CastTo.NUMBER: _to_number,
    CastTo.BOOLEAN: _to_boolean,
    CastTo.JSON: _to_json,
}


def _flatten(of: FlattenTransform, root: Root, _: Metadata) -> None:
    if not isinstance(root[0], dict):
        raise Unreadable(FAILED, "the record is not an object")
    leaves = list(_leaves(root[0], "", of.delimiter))
    if len(dict(leaves)) < len(leaves):
        raise Unreadable(FAILED, "two fields would have one key")
    root[0] = dict(leaves)


def _leaves(members: dict[str, Json], before: str, delimiter: str) -> Iterator[tuple[str, Json]]:
    for key, value in members.items():
        if isinstance(value, dict) and value:
            if len(before + key) > 255:
                raise Unreadable(FAILED, "a key would have more than 255 characters")
            yield from _leaves(value, before + key + delimiter, delimiter)
        else:
            yield before + key, value


def _filter(of: FilterTransform, root: Root, _: Metadata) -> None:
    found = [holder[key] for holder, key in _at(root, of.field)]
    if of.exists is not None:
        is_match = bool(found) is of.exists
    elif of.starts_with is not None:
        is_match = any(isinstance(each, str) and each.startswith(of.starts_with) for each in found)
    else:
        is_match = any(_is_same(each, wanted) for each in found for wanted in of.one_of)
    if is_match is not of.keep:
        raise NotIngested("filtered")


def _is_same(value: Json, wanted: str | int | bool | None) -> bool:
    if wanted is None or isinstance(wanted, bool | str):
        return type(value) is type(wanted) and value == wanted
    return isinstance(value, Number) and _decimal(value) == wanted


def _timestamp(of: TimestampTransform, root: Root, _: Metadata) -> None:
    for path in of.fields:
        for holder, key in _at(root, path):
            if holder[key] is not None:
                holder[key] = rewritten(holder[key], of.read, of.write, of.offset)


APPLY: dict[type[Transform], Callable[[Any, Root, Metadata], None]] = {
    HoistTransform: _hoist,
    ExtractTransform: _extract,
    InsertTransform: _insert,
    MaskTransform: _mask,
    RenameTransform: _rename,
    ExcludeTransform: _exclude,
    CastTransform: _cast,
    FlattenTransform: _flatten,
    FilterTransform: _filter,
    TimestampTransform: _timestamp,
}
