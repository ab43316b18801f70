"""Records that a serializer of a schema registry wrote: its frame, and objects of schemas that the registry has."""

import json
import zlib
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from firnline_ingest.config.format import Format, RegisteredSchema, Schemas
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.records.rows import Rows
from firnline_ingest.schemas.errors import RegistryUnreachable

from . import protobuf_samples
from .making import convert, maker, rejected, values
from .test_avro import ORDER, ROW, SCHEMA, alone

VERSION = UUID("b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63")
REGISTRY = {"url": "https://registry.example.com"}
CONFLUENT = {"type": "avro", "framing": "confluent", "registry": REGISTRY}
GLUE = {"type": "avro", "framing": "glue"}
REFERS = {"type": "record", "name": "Basket", "fields": [{"name": "order", "type": "shop.Order"}]}


def confluent(data: bytes, number: int = 7) -> bytes:
    return b"\0" + number.to_bytes(4, "big") + data


def glue(data: bytes, version: UUID = VERSION, *, packed: bool = False) -> bytes:
    return b"\3" + (b"\5" if packed else b"\0") + version.bytes + (zlib.compress(data) if packed else data)


@dataclass
class Known:
    """A registry that has these; what it fails on, it does not say."""

    schemas: dict[int | UUID, RegisteredSchema] = field(
        default_factory=lambda: {
            7: RegisteredSchema(json.dumps(SCHEMA)),
            8: RegisteredSchema(json.dumps({"type": "string"})),
            9: RegisteredSchema("{"),
            10: RegisteredSchema("{}", "JSON"),
            11: RegisteredSchema(json.dumps(REFERS), references=(json.dumps(SCHEMA),)),
            12: RegisteredSchema(json.dumps(REFERS)),
            VERSION: RegisteredSchema(json.dumps(SCHEMA)),
            protobuf_samples.SCHEMA_ID: protobuf_samples.SCHEMA,
            protobuf_samples.VERSION: protobuf_samples.GLUE_SCHEMA,
        }
    )
    fails: set[int | UUID] = field(default_factory=set)

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        if schema_id in self.fails:
            raise RegistryUnreachable("r", "down")
        return self.schemas.get(schema_id)

    def of(self, of: Format) -> Schemas:
        return self


def made_of(format_: dict[str, Any], *payloads: bytes, known: Known | None = None) -> Rows:
    made_by = maker(format_, (known or Known()).of)
    return made_by.convert([Record(str(100 + n), data, "key", 1.5) for n, data in enumerate(payloads)])


def letter_of(format_: dict[str, Any], payload: bytes) -> RejectedRecord:
    made = made_of(format_, payload)
    assert list(made.rows) == []
    (one,) = made.rejected
    return one


@pytest.mark.parametrize(
    ("format_", "payload"),
    [
        (CONFLUENT, confluent(alone(ORDER))),
        (GLUE, glue(alone(ORDER))),
        (GLUE, glue(alone(ORDER), packed=True)),
    ],
)
def test_an_object_of_a_schema_that_the_registry_has_is_a_row(format_: dict[str, Any], payload: bytes) -> None:
    assert values(made_of(format_, payload)) == [ROW]


def test_a_schema_may_name_others() -> None:
    assert values(made_of(CONFLUENT, confluent(alone(ORDER), 11))) == [{"order": ROW}]
    assert "shop.Order" in letter_of(CONFLUENT, confluent(alone(ORDER), 12)).detail


@pytest.mark.parametrize("framing", ["confluent", "glue"])
def test_of_json_the_frame_is_taken_off_and_no_registry_is_asked(framing: str) -> None:
    format_ = {"type": "json", "framing": framing}
    frame = confluent if framing == "confluent" else glue
    assert values(convert(format_, frame(b'{"n": 1}'), frame(b'{"n": 2}'))) == [{"n": 1}, {"n": 2}]
    assert rejected(format_, b'{"n": 1}').reason is RejectReason.MALFORMED
    assert rejected(format_, frame(b"[]")).reason is RejectReason.NOT_AN_OBJECT
    assert rejected(format_, frame(b"")).reason is RejectReason.EMPTY


@pytest.mark.parametrize(
    ("format_", "payload", "reason"),
    [
        (CONFLUENT, alone(ORDER), RejectReason.MALFORMED),
        (CONFLUENT, b"\0\0\0\7", RejectReason.MALFORMED),
        (CONFLUENT, b"\1" + confluent(alone(ORDER))[1:], RejectReason.MALFORMED),
        (CONFLUENT, b"\0\0\0\0\7", RejectReason.MALFORMED),
        (CONFLUENT, glue(alone(ORDER)), RejectReason.MALFORMED),
        (CONFLUENT, confluent(alone(ORDER) + b"x"), RejectReason.MALFORMED),
        (CONFLUENT, confluent(alone(ORDER), 8), RejectReason.MALFORMED),
        (CONFLUENT, confluent(alone(ORDER), 9), RejectReason.MALFORMED),
        (CONFLUENT, confluent(alone(ORDER), 10), RejectReason.MALFORMED),
        (CONFLUENT, confluent(alone(ORDER), 2**32 - 1), RejectReason.UNKNOWN_SCHEMA),
        (CONFLUENT, b"", RejectReason.EMPTY),
        (GLUE, confluent(alone(ORDER)), RejectReason.MALFORMED),
        (GLUE, glue(alone(ORDER))[:17], RejectReason.MALFORMED),
        (GLUE, b"\3\1" + glue(alone(ORDER))[2:], RejectReason.MALFORMED),
        (GLUE, b"\3\5" + glue(alone(ORDER))[2:], RejectReason.NOT_PACKED),
        (GLUE, glue(alone(ORDER), packed=True)[:-1], RejectReason.NOT_PACKED),
        (GLUE, glue(alone(ORDER), packed=True) + b"x", RejectReason.NOT_PACKED),
        (GLUE, glue(bytes(20_000_000), packed=True), RejectReason.TOO_LARGE),
        (GLUE, glue(alone(ORDER), UUID(int=1)), RejectReason.UNKNOWN_SCHEMA),
    ],
)
def test_what_is_no_object_of_a_known_schema_is_a_letter(
    format_: dict[str, Any], payload: bytes, reason: RejectReason
) -> None:
    assert letter_of(format_, payload).reason is reason


def test_a_registry_that_does_not_say_is_no_reason_for_a_letter() -> None:
    with pytest.raises(RegistryUnreachable):
        made_of(CONFLUENT, confluent(alone(ORDER)), known=Known(fails={7}))


def test_records_of_an_unknown_schema_are_taken_without_any_row() -> None:
    good, unknown, bad = confluent(alone(ORDER)), confluent(alone(ORDER), 99), b"bad"
    page, parts = [bad, good, unknown, bad, unknown, good, bad], []
    while page:
        made = made_of(CONFLUENT, *page)
        parts.append((len(made.rows), len(made.rejected), made.is_to_be_settled))
        page = page[made.taken :]
    assert parts == [(1, 1, False), (0, 3, True), (1, 1, False)]


@pytest.mark.parametrize(
    ("format_", "problem"),
    [
        ({"type": "avro", "framing": "confluent"}, "give registry with framing: confluent, and only then"),
        ({**GLUE, "registry": REGISTRY}, "give registry with framing: confluent, and only then"),
        ({**GLUE, "avro_schema": json.dumps(SCHEMA)}, "give avro_schema with framing: single_object or none"),
        ({**CONFLUENT, "registry": {"url": "https://user:pass@host"}}, "format.registry.url"),
        ({**CONFLUENT, "registry": {"url": "https://host:99999"}}, "a port that is none"),
        ({**CONFLUENT, "registry": {"url": "https://host/?apikey=1"}}, "format.registry.url"),
        (
            {**CONFLUENT, "registry": {"url": "http://host", "login": {"username_env": "U", "password_env": "P"}}},
            "the password would travel in the open",
        ),
        ({**CONFLUENT, "registry": {**REGISTRY, "login": {"username_env": "U"}}}, "give either username_env and"),
    ],
)
def test_what_does_not_go_together_is_told(format_: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match="FL-1001") as refused:
        made_of(format_)
    assert problem in str(refused.value)
    assert "user:pass" not in str(refused.value)


def test_each_object_is_read_with_the_schema_that_it_was_written_with() -> None:
    def version(*names: str) -> RegisteredSchema:
        fields = [{"name": name, "type": "int"} for name in names]
        return RegisteredSchema(json.dumps({"type": "record", "name": "V", "fields": fields}))

    known = Known({1: version("a", "b"), 2: version("b", "c", "d")})
    made = made_of(CONFLUENT, confluent(b"\x02\x04", 1), confluent(b"\x06\x08\x0a", 2), known=known)
    assert values(made) == [{"a": 1, "b": 2}, {"b": 3, "c": 4, "d": 5}]
