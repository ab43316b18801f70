"""The reading of .proto texts, held against what Google's compiler made of the same files."""

import ast
from importlib.metadata import PackagePath, files
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto

from firnline_ingest.formats.protobuf_decoding.errors import ProtoRefused
from firnline_ingest.formats.protobuf_decoding.proto_text import parsed

from .protobuf_samples import ORDER

OF_GOOGLES = [each for each in files("googleapis-common-protos") or () if each.suffix == ".proto"]
ANOTHER_NAME = "google/longrunning/operations_proto.proto"
"""Compiled under another name than its own."""


@pytest.mark.parametrize("path", OF_GOOGLES, ids=str)
def test_a_text_is_read_as_googles_compiler_reads_it(path: PackagePath) -> None:
    name = path.as_posix()
    compiled = FileDescriptorProto.FromString(
        _serialized(Path(str(path.locate())).with_suffix("").as_posix() + "_pb2.py")
    )
    found = parsed(Path(str(path.locate())).read_text(), compiled.name if name == ANOTHER_NAME else name)
    assert _bare(found) == _bare(compiled)


def _serialized(generated: str) -> bytes:
    """Returns the bytes that the compiler wrote into a module. It is not imported: Pulumi brings a Status of its own, and a
    process takes one of them."""
    (found,) = (
        node.args[0].value
        for node in ast.walk(ast.parse(Path(generated).read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "AddSerializedFile"
        and isinstance(node.args[0], ast.Constant)
    )
    assert isinstance(found, bytes)
    return found


def test_there_are_texts_to_be_read() -> None:
    assert len(OF_GOOGLES) > 40


def _bare(file: FileDescriptorProto) -> FileDescriptorProto:
    """Without what is left out: options of generated code, services, extensions; types are resolved by the pool."""
    for name in ("options", "service", "extension", "public_dependency"):
        file.ClearField(name)
    for message in file.message_type:
        _bare_message(message)
    for enum in file.enum_type:
        _bare_enum(enum)
    if file.syntax == "proto2":
        file.ClearField("syntax")
    return file


def _bare_message(message: DescriptorProto) -> None:
    is_entry = message.options.map_entry
    for name in ("options", "reserved_range", "reserved_name", "extension_range", "extension"):
        message.ClearField(name)
    if is_entry:
        message.options.map_entry = True
    for field in message.field:
        for name in ("json_name", "default_value", "options"):
            field.ClearField(name)
        if field.type_name:
            field.type_name = field.type_name.rsplit(".", 1)[-1]
            field.ClearField("type")
    for oneof in message.oneof_decl:
        oneof.ClearField("options")
    for inner in message.nested_type:
        _bare_message(inner)
    for enum in message.enum_type:
        _bare_enum(enum)


def _bare_enum(enum: EnumDescriptorProto) -> None:
    for name in ("options", "reserved_range", "reserved_name"):
        enum.ClearField(name)
    for value in enum.value:
        value.ClearField("options")


@pytest.mark.parametrize("blank", [" ", "/**/", "// x\n", "\n", "/* * / */ "])
def test_a_text_that_ends_in_a_quotation_is_refused_at_once_whatever_stands_before(blank: str) -> None:
    """Not by trying each way in which blanks and comments could be divided."""
    with pytest.raises(ProtoRefused, match="not of the language"):
        parsed(blank * 60 + '"', "x")


def test_a_comment_that_does_not_end_is_refused_at_once() -> None:
    with pytest.raises(ProtoRefused, match="not of the language"):
        parsed("/* " * 400_000, "x")


def test_names_that_are_words_of_the_language_are_names() -> None:
    file = parsed(
        'syntax = "proto3"; message message { string message = 1; repeated string option = 2; optional int32 optional = 3; '
        "int32 reserved = 4; map<string, int32> map = 5; int32 enum = 6; enum enum2 { option = 0; reserved = 1; } "
        "oneof oneof { int32 oneof_ = 7; } }",
        "x",
    )
    (message,) = file.message_type
    assert [each.name for each in message.field] == [
        "message",
        "option",
        "optional",
        "reserved",
        "map",
        "enum",
        "oneof_",
    ]
    assert [each.name for each in message.enum_type[0].value] == ["option", "reserved"]


def test_a_text_that_is_cut_in_a_statement_is_refused() -> None:
    whole = ORDER.rstrip()
    for cut in range(whole.index("message"), len(whole)):
        if not ORDER[:cut].rstrip().endswith((";", "}", "*/")) and "//" not in ORDER[:cut].rsplit("\n", 1)[-1]:
            with pytest.raises(ProtoRefused):
                parsed(ORDER[:cut], "x")
