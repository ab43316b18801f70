"""Snowflake's Kafka connector and Openflow's: what `firnline init --from` makes of their properties and parameters."""

import json
from pathlib import Path

import pytest

from .taking_over import KAFKA_BLOCK, OPENFLOW_BLOCK, Run, of, told, written


def test_the_kafka_connectors_properties_of_the_page_become_what_the_page_says(run: Run) -> None:
    result = run("connector.properties", KAFKA_BLOCK, "--snowflake-account", "--database", "--schema")
    assert result.exit_code == 0, result.output
    spec = written()
    (pipeline,) = spec.pipelines
    assert (spec.snowflake.account, pipeline.database, pipeline.schema_, pipeline.table) == (
        "ACME-PROD",
        "SHOP",
        "RAW",
        "ORDER_TABLE",
    )
    assert (spec.snowflake.ingest.user, spec.snowflake.ingest.role) == ("KAFKA_USER", "KAFKA_ROLE")
    assert (pipeline.metadata.column, pipeline.metadata.approximate_arrival) == ("RECORD_METADATA", False)
    assert (pipeline.empty_records.value, pipeline.tolerance.value) == ("ignore", "all")
    [database] = spec.snowflake.databases
    assert (database.name, database.origin.value, database.schemas[0].origin.value) == ("SHOP", "adopt", "adopt")
    assert pipeline.table_origin.value == "adopt"
    assert "snowflake.topic2table.map: pipelines[].table; each is adopted" in result.output
    assert [each.model_dump() for each in pipeline.transforms] == [{"type": "hoist", "field": "content"}]
    assert "Without counterpart" not in result.output


@pytest.mark.parametrize(
    ("converter", "kind"),
    [("avro.AvroConverter", "avro"), ("protobuf.ProtobufConverter", "protobuf"), ("json.JsonSchemaConverter", "json")],
)
def test_each_converter_of_confluents_registry_has_its_format(tmp_path: Path, converter: str, kind: str) -> None:
    config = {
        "connector.class": "com.snowflake.kafka.connector.SnowflakeStreamingSinkConnector",
        "topics": "a",
        "snowflake.database.name": "DB",
        "snowflake.schema.name": "S",
        "value.converter": f"io.confluent.connect.{converter}",
        "value.converter.schema.registry.url": "https://registry.example.com",
    }
    taken = of(tmp_path, json.dumps({"name": "c", "config": config}))
    registry = {"url": "https://registry.example.com"}
    assert taken.pipelines[0]["format"] == {"type": kind, "framing": "confluent", "registry": registry}


def test_the_kafka_connectors_json_has_several_topics_transforms_and_a_registry(tmp_path: Path) -> None:
    config = {
        "connector.class": "com.snowflake.kafka.connector.SnowflakeStreamingSinkConnector",
        "topics": "a, b,c",
        "snowflake.topic2table.map": "a:T, b:T",
        "snowflake.database.name": "DB",
        "snowflake.schema.name": "S",
        "snowflake.private.key": "MIIE-SECRET",
        "value.converter": "io.confluent.connect.avro.AvroConverter",
        "value.converter.schema.registry.url": "https://registry.example.com",
        "transforms": "drop,cast,time",
        "transforms.drop.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
        "transforms.drop.exclude": "x,y",
        "transforms.drop.renames": "old:new",
        "transforms.cast.type": "org.apache.kafka.connect.transforms.Cast$Value",
        "transforms.cast.spec": "n:int32,t:string",
        "transforms.time.type": "org.apache.kafka.connect.transforms.TimestampRouter",
        "transforms.time.topic.format": "${topic}",
    }
    taken = of(tmp_path, json.dumps({"name": "c", "config": config}))
    assert told(taken) == {*config, "behavior.on.null.values, whose default is DEFAULT"}
    first, second, third = taken.pipelines
    assert (first["table"], first["shared_table"], second["shared_table"]) == ("T", True, True)
    assert "table" not in third
    assert first["format"]["registry"] == {"url": "https://registry.example.com"}
    assert first["transforms"] == [
        {"type": "exclude", "fields": ["x", "y"]},
        {"type": "rename", "fields": {"old": "new"}},
        {"type": "cast", "fields": {"n": "integer", "t": "text"}},
    ]
    assert not any("MIIE-SECRET" in str(each) for each in taken.left)


@pytest.mark.parametrize(
    ("mapping", "found"),
    [
        ("orders_[a-z]+:O,clicks:C", {"orders_eu": "O", "orders_us": "O", "clicks": "C"}),
        ('"orders_eu":"Orders, of: Europe"', {"orders_eu": '"Orders, of: Europe"'}),
        ("click:C,orders_eu:O", {"orders_eu": "O"}),
        ("click(:C", {}),
    ],
)  # fmt: skip # a pair beside what becomes of it
def test_the_kafka_connectors_map_has_regular_expressions_and_quotes(
    tmp_path: Path, mapping: str, found: dict[str, str]
) -> None:
    """https://docs.snowflake.com/en/connectors/kafkahp/setup-kafka, snowflake.topic2table.map, 2026-11-29."""
    named = {"topics": "orders_eu,orders_us,clicks", "snowflake.topic2table.map": mapping}
    taken = of(tmp_path, json.dumps({"snowflake.database.name": "DB", "snowflake.schema.name": "S", **named}))
    assert {each["stream"]: each["table"] for each in taken.pipelines if "table" in each} == found
    without = [each.option for each in taken.left if each.option.startswith("snowflake.topic2table.map ")]
    assert without == [f"snowflake.topic2table.map {mapping.partition(':')[0]}"] * mapping.startswith("click")


PARAMETERS = [dict(zip(("name", "value"), line.split(" = "), strict=True)) for line in OPENFLOW_BLOCK.splitlines()]


@pytest.mark.parametrize(
    "text",
    [
        OPENFLOW_BLOCK,
        json.dumps({each["name"]: each["value"] for each in PARAMETERS}),
        json.dumps({"component": {"parameters": [{"parameter": each} for each in PARAMETERS]}}),
        json.dumps({"flowContents": {}, "parameterContexts": {"Kinesis": {"parameters": PARAMETERS}}}),
    ],
    ids=["a list", "a mapping", "a parameter context", "a flow definition"],
)
def test_openflows_parameters_become_what_the_page_says(run: Run, text: str) -> None:
    result = run("openflow.json", text, "--region", "--database", "--schema")
    assert result.exit_code == 0, result.output
    spec = written()
    (pipeline,) = spec.pipelines
    assert (spec.application, spec.ledger.table, spec.ledger.migration) == ("orders-app", "orders-app-ledger", True)
    assert (pipeline.database, pipeline.schema_, pipeline.table) == ("KINESIS_DB", "KINESIS_SCHEMA", "ORDERS")
    assert (pipeline.table_origin.value, spec.snowflake.databases[0].origin.value) == ("adopt", "adopt")
    assert pipeline.pipe is not None
    assert (pipeline.metadata.sharded_digits, pipeline.metadata.times.value) == (5, "iso")
    assert (pipeline.pipe.name, pipeline.pipe.origin.value) == ("ORDERS_TYPED", "adopt")
    assert "Without counterpart" not in result.output


PROXIED = {
    "jvm.proxy.host": "squid.example.com",
    "jvm.proxy.port": "3128",
    "jvm.nonProxy.hosts": "*.internal|localhost",
}


def test_the_kafka_connectors_proxy_becomes_the_engines(run: Run) -> None:
    login = {"jvm.proxy.username": "me", "jvm.proxy.password": "TOP-SECRET"}
    names = {"topics": "a", "snowflake.database.name": "d", "snowflake.schema.name": "s"}
    result = run("kafka.json", json.dumps(names | PROXIED | login), "--database", "--schema")
    assert result.exit_code == 0, result.output
    proxy = written().proxy
    assert proxy is not None
    assert (proxy.url, proxy.no_proxy) == ("http://squid.example.com:3128", ["internal", "localhost"])
    assert "jvm.proxy.host: proxy.url" in result.output
    assert "proxy.login names where it is" in result.output
    assert "TOP-SECRET" not in result.output


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ({"jvm.proxy.port": ""}, {"jvm.proxy.host", "jvm.nonProxy.hosts"}),
        ({"jvm.proxy.host": ""}, {"jvm.proxy.port", "jvm.nonProxy.hosts"}),
        ({"jvm.proxy.port": "70000"}, {"jvm.proxy.host", "jvm.proxy.port", "jvm.nonProxy.hosts"}),
        ({"jvm.nonProxy.hosts": "10.*|x"}, {"jvm.nonProxy.hosts"}),
    ],
)
def test_a_proxy_that_is_not_whole_is_left_with_a_reason(
    tmp_path: Path, changed: dict[str, str], left: set[str]
) -> None:
    names = {"topics": "a", "snowflake.database.name": "d", "snowflake.schema.name": "s"}
    taken = of(tmp_path, json.dumps({name: value for name, value in (names | PROXIED | changed).items() if value}))
    assert {each.option for each in taken.left} == left


def test_a_name_that_openflow_takes_with_its_case_keeps_it(tmp_path: Path) -> None:
    text = OPENFLOW_BLOCK.replace("Table = ORDERS", "Table = orders")
    assert of(tmp_path, text).pipelines[0]["table"] == '"orders"'


@pytest.mark.parametrize("name", ["orders app", "a" * 65])
def test_an_application_s_name_that_is_not_one_here_is_left_and_its_table_can_be_migrated(run: Run, name: str) -> None:
    line = "AWS Kinesis Application Name = "
    (before,) = (each for each in OPENFLOW_BLOCK.splitlines() if each.startswith(line))
    result = run("openflow.txt", OPENFLOW_BLOCK.replace(before, line + name), "--region", "--database", "--schema")
    assert result.exit_code == 0, result.output
    assert written().ledger.migration
    assert f"Application Name = {name}: an application's name here has to be 1 to 64 letters" in result.output


def test_a_parameter_that_openflow_does_not_know_is_said(tmp_path: Path) -> None:
    assert "Snowflake Destination Tabel" in told(of(tmp_path, f"{OPENFLOW_BLOCK}\nSnowflake Destination Tabel = X\n"))


@pytest.mark.parametrize(("said", "expected"), [({}, "ingest"), ({"behavior.on.null.values": "IGNORE"}, "ignore")])
def test_null_values_are_what_the_kafka_connector_does_with_them(
    tmp_path: Path, said: dict[str, str], expected: str
) -> None:
    """https://docs.snowflake.com/en/user-guide/kafka-connector/how-kafka-connector-works: ingested, but for IGNORE."""
    names = {"topics": "a", "snowflake.database.name": "d", "snowflake.schema.name": "s"}
    taken = of(tmp_path, json.dumps(names | said))
    assert taken.pipelines[0]["empty_records"] == expected
    assert "pipelines[].empty_records" in [path for _, path in taken.taken]


def test_the_registry_of_the_values_is_taken_whatever_comes_before_it(tmp_path: Path) -> None:
    converter = {"value.converter": "io.confluent.connect.avro.AvroConverter"}
    registries = {
        "key.converter.schema.registry.url": "https://keys.example",
        "value.converter.schema.registry.url": "https://values.example, https://other.example",
    }
    config = {"topics": "a", "snowflake.database.name": "D", "snowflake.schema.name": "S", **registries, **converter}
    taken = of(tmp_path, json.dumps({"name": "c", "config": config}))
    assert taken.pipelines[0]["format"]["registry"] == {"url": "https://values.example"}
    assert "https://other.example" in [each.value for each in taken.left]


@pytest.mark.parametrize(("switch", "column"), [("false", "RECORD_CONTENT"), ("true", None)])
def test_without_schematization_a_record_is_in_one_column(tmp_path: Path, switch: str, column: str | None) -> None:
    config = {"topics": "a", "snowflake.database.name": "D", "snowflake.schema.name": "S"}
    taken = of(tmp_path, json.dumps({"name": "c", "config": {**config, "snowflake.enable.schematization": switch}}))
    assert taken.pipelines[0].get("content_column") == column
    assert "snowflake.enable.schematization" in dict(taken.taken)
