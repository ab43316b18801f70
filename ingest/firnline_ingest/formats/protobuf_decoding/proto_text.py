"""Reads the text of a .proto file as far as it says how data is written: messages, fields, enums, what makes a field present.

Language: protobuf.dev, "Language Specification" of proto2, proto3 and editions. Services, extensions and options that matter to
generated code alone are left out, so that a schema is read whose imports for them nobody has. Google's descriptor pool judges
the rest: numbers, names, types that are not there.
"""

from typing import TYPE_CHECKING, Any

from firnline_ingest.formats.protobuf_decoding.errors import ProtoRefused
from firnline_ingest.formats.protobuf_decoding.proto_tokens import Tokens

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto

DEEPEST = 32  # as protoc has it
SCALARS = [
    *(
        "double",
        "float",
        "int64",
        "uint64",
        "int32",
        "fixed64",
        "fixed32",
        "bool",
        "string",
        "group",
        "message",
        "bytes",
    ),
    *("uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64"),
]
"""FieldDescriptorProto's types, in the order of their numbers, from 1."""
NOT_NAMED = {"group", "message", "enum"}
TYPES = {name: number for number, name in enumerate(SCALARS, 1) if name not in NOT_NAMED}
GROUP, MESSAGE = 10, 11
LABELS = {"optional": 1, "required": 2, "repeated": 3}
EDITIONS = {"2023": 1000, "2024": 1001}


def parsed(text: str, name: str) -> "FileDescriptorProto":
    """Raises ProtoRefused."""
    return _File(text, name).parsed()


class _File(Tokens):
    def __init__(self, text: str, name: str) -> None:
        from google.protobuf import descriptor_pb2

        super().__init__(text)
        self._pb = descriptor_pb2
        self._file = descriptor_pb2.FileDescriptorProto(name=name)

    def parsed(self) -> "FileDescriptorProto":
        while self._peek.kind != "end":
            self._statement()
        return self._file

    def _statement(self) -> None:
        keyword = self._peek.text
        if self._is(";"):
            return
        self._next += 1
        match keyword:
            case "syntax":
                self._expect("=")
                self._syntax(self._string())
            case "edition":
                self._expect("=")
                self._edition(self._string())
            case "package":
                self._file.package = self._full_name()
            case "import":
                self._import()
            case "option":
                self._option(self._file.options)
            case "message":
                self._message(self._file.message_type.add(), 0)
                return
            case "enum":
                self._enum(self._file.enum_type.add())
                return
            case "service" | "extend":
                self._skip_statement()
                return
            case "export" | "local":
                return  # of edition 2024: who may name what follows
            case _:
                self._next -= 1
                raise self._unexpected("a statement")
        self._expect(";")

    def _syntax(self, syntax: str) -> None:
        if syntax not in ("proto2", "proto3"):
            raise ProtoRefused(f"its syntax {syntax[:20]!r} is neither proto2 nor proto3")
        self._file.syntax = syntax

    def _edition(self, edition: str) -> None:
        if edition not in EDITIONS:
            raise ProtoRefused(f"its edition {edition[:20]!r} is none of {', '.join(EDITIONS)}")
        self._file.syntax = "editions"
        self._file.edition = EDITIONS[edition]

    def _import(self) -> None:
        if self._is("option"):
            self._string()
            return
        is_public = self._is("public")
        if not is_public:
            self._is("weak")
        path = self._string()
        if path not in self._file.dependency:
            self._file.dependency.append(path)
        if is_public:
            self._file.public_dependency.append(list(self._file.dependency).index(path))

    def _option(self, options: Any) -> None:
        """Takes an option up to what ends it, and keeps what says how data is written."""
        name = ""
        while not self._is("="):
            name += self._option_name()
        value = self._value()
        parts = name.split(".")
        if parts[0] == "features" and len(parts) == 2:
            features = self._pb.FeatureSet.DESCRIPTOR.fields_by_name
            enum = features[parts[1]].enum_type if parts[1] in features else None
            if enum is not None and value in enum.values_by_name:
                setattr(options.features, parts[1], enum.values_by_name[value].number)
        elif name == "allow_alias" and options.DESCRIPTOR.name == "EnumOptions":
            options.allow_alias = value == "true"

    def _option_name(self) -> str:
        if self._is("("):
            self._skip_block(")")
            return "()"
        return "." if self._is(".") else self._name()

    def _value(self) -> str:
        """A constant as it stands; empty of a message."""
        if self._is("{"):
            self._skip_block("}")
            return ""
        if self._is("["):
            self._skip_block("]")
            return ""
        if self._peek.kind == "text":
            return self._string()
        sign = "-" if self._is("-") else "+" if self._is("+") else ""
        text = sign + self._take().text
        while self._is("."):
            text += "." + self._name()
        return text

    def _options(self, options: Any) -> None:
        """Reads the options behind a field or a value, in brackets."""
        if not self._is("["):
            return
        self._option(options)
        while self._is(","):
            self._option(options)
        self._expect("]")

    def _message(self, message: "DescriptorProto", depth: int) -> None:
        message.name = self._name()
        self._message_body(message, depth)

    def _message_body(self, message: "DescriptorProto", depth: int) -> None:
        if depth >= DEEPEST:
            raise ProtoRefused("its messages are nested too deeply")
        self._expect("{")
        while not self._is("}"):
            self._element(message, depth)
        self._add_synthetic(message)

    def _element(self, message: "DescriptorProto", depth: int) -> None:
        if self._is(";"):
            return None
        keyword, following = self._peek.text, self._tokens[self._next + 1] if self._peek.kind != "end" else self._peek
        if following.kind == "name" or keyword in ("option", "extend", "extensions", "reserved"):
            match keyword:
                case "message":
                    self._next += 1
                    return self._message(message.nested_type.add(), depth + 1)
                case "enum":
                    self._next += 1
                    return self._enum(message.enum_type.add())
                case "oneof":
                    self._next += 1
                    return self._oneof(message, depth)
                case "option":
                    self._next += 1
                    self._option(message.options)
                    return self._expect(";")
                case "extend" | "extensions" | "reserved":
                    return self._skip_statement()
                case "export" | "local":
                    self._next += 1
                    return None
        return self._field(message, depth)

    def _oneof(self, message: "DescriptorProto", depth: int) -> None:
        index = len(message.oneof_decl)
        oneof = message.oneof_decl.add(name=self._name())
        self._expect("{")
        while not self._is("}"):
            if self._is("option"):
                self._option(oneof.options)
                self._expect(";")
            elif not self._is(";"):
                self._field(message, depth, oneof=index)

    def _field(self, message: "DescriptorProto", depth: int, *, oneof: int | None = None) -> None:
        label = 0
        if self._peek.text in LABELS and self._tokens[self._next + 1].text != "=":
            label = LABELS[self._take().text]
        field = message.field.add(label=label or LABELS["optional"])
        if oneof is not None:
            field.oneof_index = oneof
        if self._peek.text == "map" and self._tokens[self._next + 1].text == "<":
            self._map_type(message, field)
        else:
            type_name = self._full_name()
            if type_name in TYPES:
                field.type = TYPES[type_name]
            elif type_name == "group":
                field.type = GROUP
            else:
                field.type_name = type_name
            field.name = self._name()
        self._expect("=")
        field.number = self._number()
        field.proto3_optional = label == LABELS["optional"] and self._file.syntax == "proto3"
        if not field.proto3_optional:
            field.ClearField("proto3_optional")
        self._options(field.options)
        if not field.options.ByteSize():
            field.ClearField("options")
        if field.type == GROUP:
            inner = message.nested_type.add(name=field.name)
            field.type_name, field.name = field.name, field.name.lower()
            self._message_body(inner, depth + 1)
        else:
            self._expect(";")

    def _map_type(self, message: "DescriptorProto", field: Any) -> None:
        self._next += 2
        entry = message.nested_type.add()
        entry.options.map_entry = True
        for number, name in enumerate(("key", "value"), 1):
            inner = entry.field.add(name=name, number=number, label=LABELS["optional"])
            type_name = self._full_name()
            if type_name in TYPES:
                inner.type = TYPES[type_name]
            else:
                inner.type_name = type_name
            self._expect("," if number == 1 else ">")
        field.name = self._name()
        entry.name = _entry_name(field.name)
        field.label, field.type, field.type_name = LABELS["repeated"], MESSAGE, entry.name

    def _add_synthetic(self, message: "DescriptorProto") -> None:
        """Adds the oneof of each optional field of proto3, behind the others, as descriptors have them."""
        taken = {each.name for each in message.field} | {each.name for each in message.oneof_decl}
        for field in message.field:
            if field.proto3_optional:
                name = field.name if field.name.startswith("_") else f"_{field.name}"
                while name in taken:
                    name = f"X{name}"
                taken.add(name)
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=name)

    def _enum(self, enum: "EnumDescriptorProto") -> None:
        enum.name = self._name()
        self._expect("{")
        while not self._is("}"):
            if self._is(";"):
                continue
            if self._peek.text == "option" and self._tokens[self._next + 1].text != "=":
                self._next += 1
                self._option(enum.options)
            elif self._peek.text == "reserved" and self._tokens[self._next + 1].text != "=":
                self._skip_statement()
                continue
            else:
                value = enum.value.add(name=self._name())
                self._expect("=")
                value.number = self._number()
                self._options(value.options)
                value.ClearField("options")
            self._expect(";")


def _entry_name(field: str) -> str:
    """The name that protoc gives the entry of a map: each part of the field's begins with a capital."""
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"
