"""Records whose schemas are in another people's registry: what the engine asks it, and the rows that come of its answers."""

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.records.rows import Rows
from firnline_ingest.schemas import SchemaRegistries
from tests.foreign.servers import APICURIO, running
from tests.ingest.formats import protobuf_samples
from tests.ingest.formats.making import maker, values

pytestmark = [pytest.mark.foreign, pytest.mark.timeout(600)]

ID = {"name": "id", "type": "int"}
ORDER = {"type": "record", "name": "shop.Order", "fields": [ID, {"name": "s", "type": "string"}]}
LINE = {"type": "record", "name": "shop.Line", "fields": [{"name": "order", "type": "shop.Order"}]}
BASKET = {"type": "record", "name": "shop.Basket", "fields": [{"name": "line", "type": "shop.Line"}]}
UNKNOWN = 2_000_000_000


class Apicurio:
    """A registry whose subjects are named as the test likes: a registry's clients must quote them."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/apis/ccompat/v7"

    def register(self, subject: str, schema: Any, **more: Any) -> int:
        text = schema if "schemaType" in more else json.dumps(schema)
        body = json.dumps({"schema": text, **more}).encode()
        request = Request(
            f"{self.url}/subjects/{quote(subject, safe='')}/versions",
            data=body,
            headers={"Content-Type": "application/vnd.schemaregistry.v1+json"},
        )
        with urlopen(request) as answer:
            number: int = json.load(answer)["id"]
        return number

    def rows(self, *records: tuple[int, bytes], kind: str = "avro") -> Rows:
        """Returns what the engine makes of objects that are framed with the ids of their schemas."""
        format_ = {"type": kind, "framing": "confluent", "registry": {"url": self.url}}
        made_by = maker(format_, SchemaRegistries(AwsConfig(region="us-east-1")))
        framed = (b"\0" + number.to_bytes(4, "big") + data for number, data in records)
        return made_by.convert([Record(str(100 + n), data, "key", 1.5) for n, data in enumerate(framed)])


@pytest.fixture(scope="module")
def apicurio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apicurio]:
    with running(APICURIO, tmp_path_factory.mktemp("apicurio")) as url:
        yield Apicurio(url)


def field(**of: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [ID, {"name": "x", **of}]}


@pytest.mark.parametrize(
    ("schema", "data", "row"),
    [
        pytest.param(ORDER, b"\2\2a", {"id": 1, "s": "a"}, id="a record"),
        pytest.param(
            field(type={"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 5}),
            b"\n\2\x7f",
            {"id": 5, "x": "fw=="},
            id="a scale above its precision",
        ),
        pytest.param(
            field(type={"type": "bytes", "logicalType": "decimal", "precision": "10", "scale": "2"}),
            b"\x0c\2\x7f",
            {"id": 6, "x": "fw=="},
            id="a scale that is a text",
        ),
        pytest.param(
            field(
                type={"type": "fixed", "name": "D", "size": 2, "logicalType": "decimal", "precision": 38, "scale": 2}
            ),
            b"\x0e\0\x7f",
            {"id": 7, "x": "AH8="},
            id="a precision beyond its bytes",
        ),
        pytest.param(
            [
                {"type": "record", "name": "A", "fields": [ID]},
                {"type": "record", "name": "B", "fields": [{"name": "other", "type": "int"}]},
            ],
            b"\0\x10",
            {"id": 8},
            id="a union of two records",
        ),
        pytest.param(
            field(type={"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}),
            b"\x14" + bytes(range(16)),
            {"id": 10, "x": "00010203-0405-0607-0809-0a0b0c0d0e0f"},
            id="a uuid of sixteen bytes",
        ),
    ],
)
def test_an_object_of_a_registered_schema_is_a_row(
    apicurio: Apicurio, schema: Any, data: bytes, row: dict[str, Any]
) -> None:
    made = apicurio.rows((apicurio.register(f"of a test/{json.dumps(schema)[:60]}", schema), data))
    assert values(made) == [row], made.rejected


def test_a_schema_comes_with_those_that_it_refers_to(apicurio: Apicurio) -> None:
    apicurio.register("shop/order", ORDER)
    to_order = {"name": "shop.Order", "subject": "shop/order", "version": 1}
    apicurio.register("a line", LINE, references=[to_order])
    to_line = {"name": "shop.Line", "subject": "a line", "version": 1}
    number = apicurio.register("basket", BASKET, references=[to_line, to_order])
    assert values(apicurio.rows((number, b"\2\2a"))) == [{"line": {"order": {"id": 1, "s": "a"}}}]


def test_a_record_of_an_id_that_it_has_not_is_settled_as_a_dead_letter_apart_from_rows(apicurio: Apicurio) -> None:
    good, unknown = (apicurio.register("again", ORDER), b"\4\2b"), (UNKNOWN, b"\2\2a")
    first = apicurio.rows(good, unknown)
    assert (values(first), first.taken) == ([{"id": 2, "s": "b"}], 1)
    settled = apicurio.rows(unknown)
    assert ([each.reason for each in settled.rejected], settled.is_to_be_settled) == (
        [RejectReason.UNKNOWN_SCHEMA],
        True,
    )


def test_one_schema_under_two_subjects_has_one_id(apicurio: Apicurio) -> None:
    """Confluent's registry does the same; the engine keeps what it knows by the id."""
    assert apicurio.register("one", ORDER) == apicurio.register("other", ORDER)


def test_what_java_refuses_never_reaches_the_engine(apicurio: Apicurio) -> None:
    with pytest.raises(HTTPError, match="422"):
        apicurio.register("odd", field(type="string", default=None))


PROTOBUF = {"schemaType": "PROTOBUF"}


@pytest.fixture(scope="module")
def common(apicurio: Apicurio) -> dict[str, Any]:
    """A reference to the schema that the samples import."""
    apicurio.register("shop/common", protobuf_samples.COMMON, **PROTOBUF)
    return {"name": protobuf_samples.COMMON_PATH, "subject": "shop/common", "version": 1}


ORDERS_PATH = b"\2\2"


def test_a_message_of_a_registered_text_is_a_row_with_what_the_text_imports(
    apicurio: Apicurio, common: dict[str, Any]
) -> None:
    text = protobuf_samples.ORDER.replace('import "buf/validate/validate.proto"; // options alone: nobody has it', "")
    number = apicurio.register("proto/order", text, references=[common], **PROTOBUF)
    made = apicurio.rows(
        (number, ORDERS_PATH + protobuf_samples.full_order().SerializeToString()),
        (number, b"\0" + protobuf_samples.line().SerializeToString()),
        kind="protobuf",
    )
    assert values(made) == [protobuf_samples.FULL, {**protobuf_samples.LINE, "sku": "m", "count": -1}], made.rejected


def test_a_descriptor_that_was_registered_in_base64_is_read_as_the_registry_gives_it(
    apicurio: Apicurio, common: dict[str, Any]
) -> None:
    file = FileDescriptorProto()
    protobuf_samples.READ.descriptor.CopyToProto(file)
    text = base64.b64encode(file.SerializeToString()).decode()
    number = apicurio.register("proto/in base64", text, references=[common], **PROTOBUF)
    made = apicurio.rows((number, ORDERS_PATH + protobuf_samples.full_order().SerializeToString()), kind="protobuf")
    assert values(made) == [protobuf_samples.FULL], made.rejected


def test_an_avro_record_of_a_protobuf_schema_says_so(apicurio: Apicurio) -> None:
    number = apicurio.register("proto/alone", 'syntax = "proto3"; message M { int32 a = 1; }', **PROTOBUF)
    (letter,) = apicurio.rows((number, b"\0")).rejected
    assert "it is one of PROTOBUF" in letter.detail
