"""Schemas of Protobuf at random, with messages that Google's library writes of them: the engine's rows are Google's own JSON with
the differences that docs/records.md names, and the audit reads the same."""

import random
from typing import Any

import pytest
from google.protobuf.message_factory import GetMessageClass

from firnline_infra.audit.readers.rows import RowReader
from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.formats.protobuf_decoding.schema import ProtoSchema
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from tests.ingest.formats.making import values
from tests.ingest.formats.protobuf_at_random import Sent, by_googles_mapping
from tests.ingest.formats.protobuf_samples import PROTO_CONFLUENT, PROTO_GLUE, varint
from tests.ingest.formats.test_registered import Known

from .engine import SHARD, STREAM, pipeline_of
from .test_agreement import agree, engines, readers

SCALARS = [
    *("double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32"),
    *("sfixed64", "bool", "string", "bytes"),
]
KEYS = [each for each in SCALARS if each not in ("double", "float", "bytes")]
GOOGLES = [f"google.protobuf.{each}" for each in ("Timestamp", "Duration", "Value", "Int64Value", "BoolValue")]
FILES = ("timestamp", "duration", "struct", "wrappers")
MESSAGES_OF_A_SCHEMA = 12


class Text:
    """A schema's text."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._numbers = chance, 0
        self.syntax = chance.choice(["proto2", "proto3"])
        self._enums, self._messages = ["Kind"], list[str]()

    def whole(self) -> str:
        imports = "".join(f'import "google/protobuf/{each}.proto";\n' for each in FILES)
        package = self._chance.choice(["", "package a;\n", "package a.b.c;\n"])
        body = "".join(self._message(f"M{number}", 0) for number in range(self._chance.randrange(1, 4)))
        return f'syntax = "{self.syntax}";\n{package}{imports}enum Kind {{ NONE = 0; ONE = 1; MANY = -5; }}\n{body}'

    def _message(self, name: str, depth: int) -> str:
        inner = [
            self._message(f"{name}I{number}", depth + 1)
            for number in range(self._chance.randrange(3) if depth < 2 else 0)
        ]
        self._messages.append(name)
        fields = [self._field() for _ in range(self._chance.randrange(1, 7))]
        parts = [*inner, *fields, *([self._oneof()] if self._chance.random() < 0.4 else [])]
        self._chance.shuffle(parts)
        found = f"message {name} {{ // {depth}\n{''.join(parts)}}}\n"
        if depth:
            self._messages.remove(name)  # out of the scope of what follows, but for its own parent
        return found

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def _type(self) -> str:
        return self._chance.choice([*SCALARS, *SCALARS, *GOOGLES, *self._enums, *self._messages[-3:]])

    def _field(self) -> str:
        number = self._next()
        if self._chance.random() < 0.15:
            return f"map<{self._chance.choice(KEYS)}, {self._type()}> f{number} = {number};\n"
        if self.syntax == "proto2" and self._chance.random() < 0.1:
            return f"optional group G{number} = {number} {{ optional int32 a = 1; repeated string b = 2; }}\n"
        labels = ["optional", "repeated"] if self.syntax == "proto2" else ["", "optional", "repeated"]
        return f"{self._chance.choice(labels)} {self._type()} f{number} = {number};\n"

    def _oneof(self) -> str:
        members = "".join(f"{self._type()} f{number} = {number}; " for number in (self._next(), self._next()))
        return f"oneof o{self._next()} {{ {members} }}\n"


@pytest.mark.parametrize("seed", range(40))
def test_of_any_schema_any_message_is_the_same_row_to_both_readers_and_to_google(seed: int) -> None:
    chance = random.Random(seed)
    text = Text(chance).whole()
    read, known = ProtoSchema(text, {}), Known({7: RegisteredSchema(text, "PROTOBUF")})
    pipeline = pipeline_of(PROTO_CONFLUENT)
    maker, reader = RowMaker(pipeline, STREAM, SHARD, known.of), RowReader(pipeline, STREAM, SHARD, known.of)
    tops = list(read.descriptor.message_types_by_name.values())
    for _ in range(MESSAGES_OF_A_SCHEMA):
        place = chance.randrange(len(tops))
        sent = Sent(chance.randrange(1 << 30)).fill(GetMessageClass(tops[place])())
        data = b"\0\0\0\0\7\2" + varint(place * 2) + sent.SerializeToString()
        record = Record("100", data, "key", 1.5)
        made = maker.convert([record])
        assert values(made) == [by_googles_mapping(sent)], (text, sent, made.rejected)
        assert agree(engines(maker, record), readers(reader, record)), (text, sent)


@pytest.mark.parametrize("seed", range(20))
def test_of_any_schema_both_count_the_messages_of_glues_index_alike(seed: int) -> None:
    chance = random.Random(1000 + seed)
    text = Text(chance).whole()
    known: Any = lambda _: RegisteredSchema(text, "PROTOBUF")  # noqa: E731 - a registry that has one schema
    pipeline = pipeline_of(PROTO_GLUE)
    maker = RowMaker(pipeline, STREAM, SHARD, lambda _: known)
    reader = RowReader(pipeline, STREAM, SHARD, lambda _: known)
    names, rows = ProtoSchema(text, {}).in_order, list[str]()
    for place, name in enumerate([*names, "one too many"]):
        record = Record("100", b"\3\0" + bytes(16) + varint(place), "key", 1.5)
        engine = engines(maker, record)
        assert agree(engine, readers(reader, record)), (text, place)
        rows += [name] if isinstance(engine, list) else []
    assert rows == [name for name in names if not name.endswith("Entry")]
