"""A producer: it registers two versions of its schema in AWS Glue's registry, and puts records of both into the stream.

In front of each record it writes what Glue's serializers write: a byte 3, a byte 0 (not packed), and the UUID of the schema's
version. The second version adds a field, which becomes a column. Needs boto3, fastavro, and the right to register schemas.
"""

import json
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import UUID

import boto3
from fastavro import parse_schema, schemaless_writer

STREAM = SCHEMA = "readings"
FIELDS: list[dict[str, Any]] = [
    {"name": "sensor", "type": "string"},
    {"name": "read_at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "celsius", "type": {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}},
]
BATTERY: dict[str, Any] = {"name": "battery", "type": ["null", "int"], "default": None}
VERSIONS = [{"type": "record", "name": "Reading", "fields": fields} for fields in (FIELDS, [*FIELDS, BATTERY])]
READ_AT = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
RECORDS = [
    (0, {"sensor": "boiler", "read_at": READ_AT, "celsius": Decimal("81.50")}),
    (1, {"sensor": "cellar", "read_at": READ_AT, "celsius": Decimal("11.25"), "battery": 87}),
    (1, {"sensor": "roof", "read_at": READ_AT, "celsius": Decimal("-4.75"), "battery": None}),
]

glue, kinesis = boto3.client("glue"), boto3.client("kinesis")


def registered(schema: dict[str, Any]) -> UUID:
    """The version's id; a schema that is there already keeps its own."""
    text = json.dumps(schema)
    try:
        made = glue.create_schema(SchemaName=SCHEMA, DataFormat="AVRO", Compatibility="BACKWARD", SchemaDefinition=text)
    except glue.exceptions.AlreadyExistsException:
        made = glue.register_schema_version(
            SchemaId={"SchemaName": SCHEMA, "RegistryName": "default-registry"}, SchemaDefinition=text
        )
    return UUID(made["SchemaVersionId"])


ids = [registered(schema) for schema in VERSIONS]
for version, record in RECORDS:
    framed = BytesIO()
    framed.write(b"\3\0" + ids[version].bytes)
    schemaless_writer(framed, parse_schema(VERSIONS[version]), record)
    kinesis.put_record(StreamName=STREAM, PartitionKey=str(record["sensor"]), Data=framed.getvalue())
