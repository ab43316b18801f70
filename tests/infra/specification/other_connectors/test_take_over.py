"""`firnline init --from`: another connector's configuration becomes a specification that passes its check, and nothing of it is
left out unsaid."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from firnline_infra.cli.main import firnline
from firnline_infra.specification import load_spec
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.other_connectors import TakenOver, take_over
from firnline_infra.specification.other_connectors.flink_sql import tables
from firnline_ingest.config.other_names import FLINK, FLINK_UNLISTED, KAFKA, OPENFLOW, RETRIES
from firnline_ingest.errors import ConfigError, UsageError

REPOSITORY = Path(__file__).parents[4]
PAGE = (REPOSITORY / "docs" / "from-other-connectors.md").read_text(encoding="utf-8")
OPENFLOW_BLOCK, KAFKA_BLOCK = re.findall(r"```properties\n(.*?)```", PAGE, re.DOTALL)
ANSWERS = {
    "--name": "dev",
    "--region": "eu-central-1",
    "--aws-account": "123456789012",
    "--snowflake-account": "ORG-ACCOUNT",
    "--warehouse": "WH",
    "--database": "LAKE",
    "--schema": "RAW",
    "--runtime": "by-hand",
}
FLINK_SQL = """
-- what the page "Amazon Kinesis Data Streams SQL Connector" has, and more; it's a comment
CREATE TABLE KinesisTable (
  `user_id` BIGINT, `behavior` STRING NOT NULL, `total` DECIMAL(10, 2), `ts` TIMESTAMP(3), `tags` ARRAY<STRING>,
  `arrival_time` TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL,
  `shard-id` VARCHAR(128) NOT NULL METADATA VIRTUAL,
  `double` AS user_id * 2,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) PARTITIONED BY (user_id)
WITH (
  'connector' = 'kinesis', 'stream' = 'user_behavior', 'aws.region' = 'us-east-2', 'format' = 'csv',
  'csv.field-delimiter' = '|',
  'scan.stream.initpos' = 'AT_TIMESTAMP', 'scan.stream.initpos-timestamp' = '2026-01-02 03:04 +0100',
  'scan.stream.initpos-timestamp-format' = 'yyyy-MM-dd HH:mm Z',
  'scan.stream.recordpublisher' = 'EFO', 'scan.stream.efo.consumername' = 'mine',
  'scan.stream.efo.http-client.read-timeout' = '360000',
  'scan.shard.getrecords.intervalmillis' = '300', 'scan.shard.getrecords.maxretries' = '7',
  'scan.shard.idle.interval' = '-1', 'scan.watermark.lookahead.millis' = '120000',
  'aws.credentials.basic.secretkey' = 'TOP-SECRET', 'no.such.option' = 'x'
);
CREATE TABLE elsewhere (a INT) WITH ('connector' = 'print');
"""
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(name: str, text: str, *without: str) -> Result:
        (tmp_path / name).write_text(text, encoding="utf-8")
        options = [part for option in ANSWERS.items() if option[0] not in without for part in option]
        return CliRunner().invoke(firnline, ["init", "--from", name, *options])

    return run


def written() -> EnvironmentSpec:
    checked = CliRunner().invoke(firnline, ["spec", "check", "dev"])
    assert checked.exit_code == 0, checked.output
    return load_spec(Path("stacks/environments/dev.yaml"))


def of(tmp_path: Path, text: str) -> TakenOver:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    return take_over(tmp_path / "file")


def told(taken: TakenOver) -> set[str]:
    return {option for option, _ in taken.taken} | {each.option for each in taken.left}


def test_flinks_table_becomes_a_specification(run: Run) -> None:
    result = run("flink.sql", FLINK_SQL, "--region")
    assert result.exit_code == 0, result.output
    spec = written()
    (pipeline,) = spec.pipelines
    assert (spec.aws.region, pipeline.stream, pipeline.table, pipeline.database) == (
        "us-east-2",
        "user_behavior",
        "KINESISTABLE",
        "LAKE",
    )
    assert [(column.name, column.type, column.nullable) for column in pipeline.columns] == [
        ("USER_ID", "NUMBER(19, 0)", True),
        ("BEHAVIOR", "VARCHAR", False),
        ("TOTAL", "NUMBER(10, 2)", True),
        ("TS", "TIMESTAMP_NTZ", True),
        ("TAGS", "ARRAY", True),
    ]
    assert pipeline.metadata.names == {"approximate_arrival": "arrival_time", "shard_id": '"shard-id"'}
    assert pipeline.format.model_dump()["delimiter"] == "|"
    assert pipeline.initial_position.timestamp is not None
    assert pipeline.initial_position.timestamp.isoformat() == "2026-01-02T03:04:00+01:00"
    assert pipeline.alignment is not None
    assert pipeline.alignment.max_ahead_seconds == 120
    assert (spec.polling.interval_ms, spec.retries.get_records.attempts) == (300, 7)
    assert spec.fan_out.read_timeout_seconds == 360
    assert pipeline.reader.model_dump(exclude_unset=True) == {  # type: ignore[union-attr]
        "fan_out": {"registration": "lazy", "consumer": "mine"}
    }
    for left in (
        "column double",
        "WATERMARK",
        "PARTITIONED BY",
        "scan.shard.idle.interval",
        "no.such.option",
        "elsewhere",
    ):
        assert left in result.output.partition("Without counterpart:")[2], left


def test_an_arn_of_another_account_or_region_stays_the_streams(run: Run) -> None:
    theirs = [f"arn:aws:kinesis:{at}:stream/{at[:2]}" for at in ("us-east-1:999999999999", "eu-west-1:123456789012")]
    each = "CREATE TABLE t{} (a INT) WITH ('connector' = 'kinesis', 'stream.arn' = '{}', 'format' = 'json');".format
    result = run("flink.sql", "\n".join(each(number, arn) for number, arn in enumerate(theirs)), "--region")
    assert result.exit_code == 0, result.output
    spec = written()
    assert (spec.aws.region, [stream.arn for stream in spec.streams]) == ("us-east-1", theirs)


def test_tables_of_two_regions_read_streams_of_two_regions(run: Run) -> None:
    """Without an ARN of the second one its stream would be looked for in the first one's region."""
    options = "'connector' = 'kinesis', 'stream' = '{0}', 'aws.region' = '{1}', 'format' = 'json'"
    each = f"CREATE TABLE {{0}} (a INT) WITH ({options});"
    regions = {"orders": "eu-west-1", "clicks": "us-east-1", "prices": "eu-west-1"}
    result = run("flink.sql", "\n".join(each.format(*pair) for pair in regions.items()), "--region")
    assert result.exit_code == 0, result.output
    spec = written()
    account = spec.aws.account
    assert spec.aws.region == "eu-west-1"
    assert [stream.arn for stream in spec.streams] == [None, f"arn:aws:kinesis:us-east-1:{account}:stream/clicks", None]
    assert "aws.region: streams[1].arn" in result.output
    assert "Without counterpart" not in result.output


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            {"stream": "orders", "aws.region": "eu-west-1"},
            {"stream": "orders", "aws.region": "us-east-1"},
            "orders of us-east-1 is another stream than that of eu-west-1",
        ),
        (
            {"stream.arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/orders"},
            {"stream.arn": "arn:aws:kinesis:eu-west-1:999956789012:stream/orders"},
            "999956789012:stream/orders is another stream than arn:aws:kinesis:eu-west-1:123456789012",
        ),
        (
            {"stream.arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/orders"},
            {"stream": "orders", "aws.region": "us-east-1"},
            "orders of us-east-1 is another stream than arn:aws:kinesis:eu-west-1:123456789012",
        ),
        (
            {"stream.arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/orders"},
            {"stream": "orders", "aws.region": "eu-west-1"},
            "orders is read by two tables",
        ),
    ],
)
def test_two_streams_of_one_name_are_said_to_be_two(
    tmp_path: Path, first: dict[str, str], second: dict[str, str], said: str
) -> None:
    both = (flink_with({"connector": "kinesis", "format": "json"} | each) for each in (first, second))
    with pytest.raises(ConfigError) as refused:
        of(tmp_path, ";".join(both))
    (problem,) = refused.value.problems
    assert said in problem
    assert ("an environment of its own" in problem) == ("another stream" in said)


def test_a_region_beside_an_arn_is_taken_or_told_apart(tmp_path: Path) -> None:
    options = BASE | {"stream.arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/s", "aws.region": "eu-west-1"}
    assert ("aws.region", "streams[0].arn") in of(tmp_path, flink_with(options)).taken
    (left,) = (
        each for each in of(tmp_path, flink_with(options | {"aws.region": "us-east-1"})).left if "aws" in each.option
    )
    assert str(left) == "aws.region = us-east-1: stream.arn is of eu-west-1"


def test_a_comment_is_no_statement_and_none_of_a_statement(run: Run) -> None:
    commented = "-- CREATE TABLE old (a INT)\nCREATE TABLE t -- orders\n (a/* b */INT)\n"
    result = run("flink.sql", f"{commented}WITH ('connector' = 'kinesis', 'stream' = 's', 'format' = 'json')")
    assert result.exit_code == 0, result.output
    assert [(each.table, each.columns[0].type) for each in written().pipelines] == [("T", "NUMBER(10, 0)")]


def test_a_name_in_the_file_moves_no_cursor(run: Run) -> None:
    columns = "`a\x1b[2J\nb` INT, `c\x1b[1A` AS 1"
    statement = f"CREATE TABLE t ({columns}) WITH ('connector' = 'kinesis', 'stream' = 's', 'format' = 'json')"
    result = run("flink.sql", statement)
    assert result.exit_code == 0, result.exception
    assert "  column a\\x1b[2J\\nb: pipelines[0].columns[0]" in result.output
    assert "  column c\\x1b[1A = AS 1: a computed column" in result.output
    assert [each.name for each in written().pipelines[0].columns] == ['"a\x1b[2J\nb"']


def test_metadata_is_in_one_column_and_flinks_longest_text_is_a_text(run: Run) -> None:
    columns = (
        "a TIMESTAMP(3) METADATA FROM 'timestamp', b TIMESTAMP(3) METADATA FROM 'timestamp', c VARCHAR(2147483647)"
    )
    statement = f"CREATE TABLE t ({columns}) WITH ('connector' = 'kinesis', 'stream' = 's', 'format' = 'json')"
    result = run("flink.sql", statement)
    assert result.exit_code == 0, result.output
    (pipeline,) = written().pipelines
    assert ([each.type for each in pipeline.columns], pipeline.metadata.names) == (
        ["VARCHAR"],
        {"approximate_arrival": "a"},
    )
    assert "column b = timestamp: is in the column a" in result.output


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
    assert told(taken) == config.keys()
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


def flink_with(options: dict[str, str]) -> str:
    body = ", ".join(f"'{name}' = '{value}'" for name, value in options.items())
    return f"CREATE TABLE t (a INT) WITH ({body})"


BASE = {"connector": "kinesis", "stream": "s", "format": "json"}
EVERY_FLINK = sorted((FLINK | FLINK_UNLISTED | RETRIES).keys() - {"sink.producer.*"})


@pytest.mark.parametrize("value", ["1", "true", "none", ""])
def test_each_option_of_flinks_page_is_taken_or_left_with_a_reason(tmp_path: Path, value: str) -> None:
    options = dict.fromkeys(EVERY_FLINK, value) | BASE | {"scan.stream.efo.registration": "LAZY"}
    taken = of(tmp_path, flink_with(options))
    assert options.keys() <= told(taken)
    assert all(each.reason for each in taken.left)


def test_each_property_and_parameter_is_taken_or_left_with_a_reason(tmp_path: Path) -> None:
    kafka = dict.fromkeys(KAFKA, "x") | {"unknown.property": "1", "connector.class": "com.snowflake.X"}
    assert kafka.keys() <= told(of(tmp_path, json.dumps(kafka)))
    openflow = dict.fromkeys(OPENFLOW, "x") | {"Another Parameter": "1"}
    document = {"parameters": [{"name": name, "value": value} for name, value in openflow.items()]}
    taken = of(tmp_path, json.dumps(document))
    assert openflow.keys() <= told(taken)
    assert all(each.reason for each in taken.left)


def test_no_secret_is_in_the_specification_or_in_what_is_said(run: Run) -> None:
    result = run("flink.sql", FLINK_SQL, "--region")
    assert "TOP-SECRET" not in result.output + Path("stacks/environments/dev.yaml").read_text()
    assert "aws.credentials.basic.secretkey: the engine reads with a role" in result.output


def test_whatever_a_value_holds_stays_within_its_comment(run: Run) -> None:
    options = BASE | {"no.such": "x\npipelines: []\n", "aws.region": "us-east-2"}
    assert run("flink.sql", flink_with(options), "--region").exit_code == 0
    assert len(written().pipelines) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("SELECT 1", "is not a configuration that this command knows"),
        ("[1]", "is a JSON array"),
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'kinesis'", "a bracket is not closed"),
        (flink_with({"connector": "kafka"}), "no table has one of kinesis"),
        (flink_with({"connector": "kinesis", "format": "json"}), "stream is missing"),
        (flink_with(BASE) + ";" + flink_with(BASE), "read by two tables"),
        ('{"snowflake.url.name": "x", "topics.regex": ".*"}', "topics: is missing"),
        ('{"topics": "a"}', "snowflake.database.name: is missing"),
        (
            "topics = ab\nsnowflake.topic2table.map = a.:X,.b:Y\nsnowflake.database.name = D\nsnowflake.schema.name = S",
            "ab is mapped to X and to Y",
        ),
        ("AWS Kinesis Region = eu-west-1", "AWS Kinesis Stream Name: is missing"),
    ],
)
def test_what_can_not_be_taken_over_is_refused_with_all_reasons(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        of(tmp_path, text)
    assert problem in str(refused.value)


def test_an_option_that_the_file_answers_is_refused(run: Run) -> None:
    result = run("flink.sql", FLINK_SQL)
    assert isinstance(result.exception, UsageError)
    assert "says what --region says" in str(result.exception)


@given(st.text(alphabet="CREATE TABLEcreate (),<>'`;-/*WITHas\n", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found: list[Any] = list(tables(f"CREATE TABLE t ({text}"))
    except ValueError:
        return
    assert all(each.options is not None for each in found)


PROPERTIES = "topics=orders,\\\n  clicks\nsnowflake.database.name=LAKE\nsnowflake.schema.name=RAW\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{PROPERTIES}snowflake.private.key=MIIEvQIBADANB\\\nTOP-SECRET=\\\r\n  TOP-SECRET==\n",
        f"{PROPERTIES}consumer.override.sasl.jaas.config=PlainLoginModule required password=TOP-SECRET;\n",
        f"{PROPERTIES}key.converter.schema.registry.url=https://user:TOP-SECRET@registry.example.com\n",
        f"{PROPERTIES}x.api.key=TOP-SECRET\ny.passwd=TOP-SECRET\nz.credentials=TOP-SECRET\n",
        FLINK_SQL.replace("'no.such.option' = 'x'", "'avro-confluent.basic-auth.user-info' = 'key:TOP-SECRET'"),
        f"{OPENFLOW_BLOCK}\nSnowflake Private Key = -----BEGIN PRIVATE KEY-----\nTOP-SECRET==\n-----END PRIVATE KEY-----\n",
    ],
)
def test_no_secret_is_in_what_is_left(tmp_path: Path, text: str) -> None:
    taken = of(tmp_path, text)
    assert not [str(each) for each in taken.left if "TOP-SECRET" in str(each)]
    assert "clicks" in taken.answers["streams"] or not text.startswith("topics")


def test_a_parameter_that_openflow_does_not_know_is_said(tmp_path: Path) -> None:
    assert "Snowflake Destination Tabel" in told(of(tmp_path, f"{OPENFLOW_BLOCK}\nSnowflake Destination Tabel = X\n"))
