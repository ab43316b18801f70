"""A Protobuf schema of a registry, with those that it imports: which messages it has, and which of them a record names.

Google's own files (google/protobuf/…) come with its library. An import that nobody has is left out: it matters only if a field
is of a type that is in it, and Google's pool says so then.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from firnline_ingest.formats.protobuf_decoding.errors import ProtoRefused
from firnline_ingest.formats.protobuf_decoding.proto_text import DEEPEST, parsed

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FileDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool

OWN_FILE = "firnline/schema.proto"
"""The name of a schema that comes as text: no import has it."""
GOOGLES = [
    "any",
    "api",
    "descriptor",
    "duration",
    "empty",
    "field_mask",
    "source_context",
    "struct",
    "timestamp",
    "type",
    "wrappers",
]  # google/protobuf/*.proto
GOOGLE_FILE = "google/protobuf/{}.proto"
DECIMAL_FILE = "confluent/type/decimal.proto"
DECIMAL = """syntax = "proto3"; package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }"""
"""As Confluent's registries have it without a reference (github.com/confluentinc/schema-registry, protobuf-types)."""
MOST_MESSAGES = 10_000


class ProtoSchema:
    """One schema with its imports. Raises ProtoRefused."""

    def __init__(self, text: str, imports: Mapping[str, str]) -> None:
        self._imports = {DECIMAL_FILE: DECIMAL, **imports}
        self._missing: list[str] = []
        self._added: set[str] = set()
        self._file = _file_of(text, OWN_FILE)
        self._pool = self._filled()
        self._of_own = list(_named(self._file.message_type, self._file.package))
        if not self._of_own:
            raise ProtoRefused("it has no message, whose fields could be columns")
        if len(self._of_own) > MOST_MESSAGES:
            raise ProtoRefused("it is too large")

    def _filled(self) -> "DescriptorPool":
        from google.protobuf.descriptor_pool import DescriptorPool

        pool = DescriptorPool()
        try:
            self._add(pool, self._file, ())
        except ProtoRefused:
            raise
        except Exception as error:  # the pool's TypeError has no class of its own, and no stable text
            beside = f" (nobody has {', '.join(map(repr, self._missing[:5]))})" if self._missing else ""
            raise ProtoRefused(f"{str(error)[:250]}{beside}") from error
        return pool

    def _add(self, pool: "DescriptorPool", file: "FileDescriptorProto", within: tuple[str, ...]) -> None:
        """Adds a file behind those that it imports."""
        if file.name in within or len(within) > DEEPEST:
            raise ProtoRefused(f"its imports of {file.name[:100]!r} have no end")
        if file.name in self._added:
            return
        known = []
        for path in file.dependency:
            found = self._imported(path)
            if found is None:
                self._missing.append(path)
            else:
                self._add(pool, found, (*within, file.name))
                known.append(path)
        if len(known) < len(file.dependency):
            del file.dependency[:], file.public_dependency[:], file.weak_dependency[:]
            file.dependency.extend(known)
        pool.Add(file)
        self._added.add(file.name)

    def _imported(self, path: str) -> "FileDescriptorProto | None":
        if (stem := path.removeprefix("google/protobuf/").removesuffix(".proto")) in GOOGLES:
            return _google_file(stem) if path == GOOGLE_FILE.format(stem) else None
        if path not in self._imports:
            return None
        file = _file_of(self._imports[path], path)
        file.name = path
        return file

    @property
    def descriptor(self) -> "FileDescriptor":
        """The schema's own file, with its imports."""
        found: FileDescriptor = self._pool.FindFileByName(self._file.name)
        return found

    def at(self, path: tuple[int, ...]) -> str:
        """Returns the name of the message at these places: in the file, then each in the one before. Entries of maps have no
        place, as in the text (Confluent's ProtobufSchema.toMessageName). Raises LookupError."""
        messages, name = self._file.message_type, str(self._file.package)
        for place in path:
            own = [each for each in messages if not each.options.map_entry]
            name = f"{name}.{own[place].name}" if name else own[place].name
            messages = own[place].nested_type
        return name

    @cached_property
    def in_order(self) -> list[str]:
        """The names of all messages in the order of Glue's index: entries of maps are among them (awslabs'
        MessageIndexFinder)."""
        return sorted(name for name, _ in self._of_own)

    def message(self, name: str) -> "Descriptor":
        """Raises LookupError for what is not a message of its own."""
        if dict(self._of_own)[name]:
            raise LookupError(name)
        found: Descriptor = self._pool.FindMessageTypeByName(name)
        return found


def _named(messages: Any, package: str) -> Iterator[tuple[str, bool]]:
    """Yields the name of each, and whether it is a map's entry."""
    for each in messages:
        name = f"{package}.{each.name}" if package else each.name
        yield name, each.options.map_entry
        yield from _named(each.nested_type, name)


def _file_of(text: str, name: str) -> "FileDescriptorProto":
    """A registry may hold a descriptor instead of a text, in base64, as some clients register it."""
    return _descriptor_in(text) or parsed(text, name)


def _descriptor_in(text: str) -> "FileDescriptorProto | None":
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.message import DecodeError

    try:
        file = FileDescriptorProto.FromString(base64.b64decode(text.strip(), validate=True))
    except (binascii.Error, ValueError, DecodeError):
        return None
    return file if file.message_type or file.enum_type or file.dependency else None


def _google_file(stem: str) -> "FileDescriptorProto":
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    module: Any = import_module(f"google.protobuf.{stem}_pb2")
    return FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
