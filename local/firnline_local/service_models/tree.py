"""Values out of what is written by a service's shapes: the fields of a form, and XML.

A member that the shape does not have comes under the name that it has on the wire, for `constraints.violations` to find.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

NUMBER = re.compile(r"-?\d+")
REAL = re.compile(r"-?\d+(\.\d*)?([eE][-+]?\d+)?")


def scalar(shape: Any, text: str) -> Any:
    """The text itself where it is not what the shape has."""
    match shape.type_name:
        case "integer" | "long":
            return int(text) if NUMBER.fullmatch(text) else text
        case "double" | "float":
            return float(text) if REAL.fullmatch(text) else text
        case "boolean":
            return {"true": True, "false": False}.get(text.lower(), text)
        case _:
            return text


class QueryForm:
    """The fields of a query, such as Tags.member.1.Key. Each that a shape takes is used up."""

    def __init__(self, fields: Mapping[str, str], *, is_ec2: bool) -> None:
        self._fields = dict(fields)
        self._is_ec2 = is_ec2
        self._used: set[str] = set()

    def structure(self, shape: Any, prefix: str = "") -> dict[str, Any]:
        found = {}
        for name, member in shape.members.items():
            path = f"{prefix}.{self._name(member, name)}" if prefix else self._name(member, name)
            if self._holds(path) or (member.type_name == "list" and self._holds(self._list_path(member, path))):
                found[name] = self._value(member, path)
        return found

    def unused(self) -> list[str]:
        return sorted(self._fields.keys() - self._used)

    def _name(self, shape: Any, default: str) -> str:
        if not self._is_ec2:
            return str(shape.serialization.get("name", default))
        query_name = shape.serialization.get("queryName")
        name = str(query_name or shape.serialization.get("name", default))
        return name if query_name else name[:1].upper() + name[1:]

    def _holds(self, path: str) -> bool:
        return any(name == path or name.startswith(f"{path}.") for name in self._fields)

    def _value(self, shape: Any, path: str) -> Any:
        match shape.type_name:
            case "structure":
                return self.structure(shape, path)
            case "list":
                return self._list(shape, path)
            case "map":
                return self._map(shape, path)
            case _:
                self._used.add(path)
                return scalar(shape, self._fields.get(path, ""))

    def _list_path(self, shape: Any, path: str) -> str:
        if self._is_ec2:
            return path
        name = shape.member.serialization.get("name")
        if shape.serialization.get("flattened"):
            return f"{path.rpartition('.')[0]}.{name}".lstrip(".") if name else path
        return f"{path}.{name or 'member'}"

    def _list(self, shape: Any, path: str) -> Any:
        if path in self._fields:  # an empty one
            self._used.add(path)
        where = self._list_path(shape, path)
        return [self._value(shape.member, f"{where}.{number}") for number in self._numbers(where)]

    def _map(self, shape: Any, path: str) -> dict[Any, Any]:
        where = path if shape.serialization.get("flattened") else f"{path}.entry"
        key, value = (self._name(each, name) for each, name in ((shape.key, "key"), (shape.value, "value")))
        return {
            self._value(shape.key, f"{where}.{number}.{key}"): self._value(shape.value, f"{where}.{number}.{value}")
            for number in self._numbers(where)
        }

    def _numbers(self, path: str) -> list[int]:
        begin = f"{path}."
        parts = (name.removeprefix(begin).partition(".")[0] for name in self._fields if name.startswith(begin))
        return sorted({int(each) for each in parts if each.isdecimal()})


def of_xml(shape: Any, node: Element, ignored: Iterable[str] = ()) -> Any:
    match shape.type_name:
        case "structure":
            return _structure(shape, node, ignored)
        case "list":
            return [of_xml(shape.member, each) for each in node]
        case "map":
            return _map(shape, node)
        case _:
            return scalar(shape, node.text or "")


def _structure(shape: Any, node: Element, ignored: Iterable[str] = ()) -> dict[str, Any]:
    members = {_xml_name(member, name): (name, member) for name, member in shape.members.items()}
    found: dict[str, Any] = {}
    for child in node:
        tag = child.tag.rpartition("}")[2]
        if tag in ignored:
            continue
        name, member = members.get(tag, (tag, None))
        if member is None:
            found[tag] = child.text
        elif member.type_name in {"list", "map"} and member.serialization.get("flattened"):
            _add_flattened(found, name, member, child)
        else:
            found[name] = of_xml(member, child)
    for name, member in shape.members.items():
        attribute = node.get(member.serialization.get("name", name)) if _is_attribute(member) else None
        attribute = attribute or (_namespaced(node, member, name) if _is_attribute(member) else None)
        if attribute is not None:
            found[name] = attribute
    return found


def _add_flattened(found: dict[str, Any], name: str, member: Any, child: Element) -> None:
    if member.type_name == "list":
        found.setdefault(name, []).append(of_xml(member.member, child))
    else:
        found.setdefault(name, {}).update(_entry(member, child))


def _map(shape: Any, node: Element) -> dict[Any, Any]:
    return {key: value for entry in node for key, value in _entry(shape, entry).items()}


def _entry(shape: Any, entry: Element) -> dict[Any, Any]:
    parts = {child.tag.rpartition("}")[2]: child for child in entry}
    key, value = (parts.get(_xml_name(each, name)) for each, name in ((shape.key, "key"), (shape.value, "value")))
    if key is None or value is None:
        return {}
    return {of_xml(shape.key, key): of_xml(shape.value, value)}


def _xml_name(shape: Any, default: str) -> str:
    if shape.type_name == "list" and shape.serialization.get("flattened"):
        default = shape.member.serialization.get("name", default)
    return str(shape.serialization.get("name", default))


def _is_attribute(shape: Any) -> bool:
    return bool(shape.serialization.get("xmlAttribute"))


def _namespaced(node: Element, shape: Any, name: str) -> str | None:
    """An attribute of another namespace, as xsi:type is."""
    local = str(shape.serialization.get("name", name)).rpartition(":")[2]
    return next((value for key, value in node.attrib.items() if key.rpartition("}")[2] == local), None)
