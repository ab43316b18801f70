"""`firnline init --from`: another connector's configuration becomes a specification that passes its check, and nothing of it is
left out unsaid."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_infra.specification.other_connectors.flink import NAMED_BEFORE
from firnline_infra.specification.other_connectors.flink_sql import tables
from firnline_ingest.config.other_names import FLINK, FLINK_5, FLINK_UNLISTED, KAFKA, OPENFLOW, RETRIES
from firnline_ingest.errors import ConfigError, UsageError

from .taking_over import BASE, FLINK_SQL, OPENFLOW_BLOCK, Run, flink_with, of, told, written


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


def test_the_names_of_the_current_connector_are_those_of_the_legacy_one(tmp_path: Path) -> None:
    """Left out, a table would be read from LATEST on, whatever it says."""
    options = {
        "connector": "kinesis",
        "stream.arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/s",
        "format": "json",
    }
    current = {
        "source.init.position": "AT_TIMESTAMP",
        "source.init.timestamp": "2026-01-02 03:04 +0100",
        "source.init.timestamp.format": "yyyy-MM-dd HH:mm Z",
        "source.reader.type": "EFO",
        "source.shard.get-records.max-record-count": "5000",
        "source.efo.consumer.name": "mine",
    }
    taken = of(tmp_path, flink_with(options | current))
    (pipeline,) = taken.pipelines
    assert pipeline["initial_position"]["at"] == "AT_TIMESTAMP"
    assert pipeline["reader"]["fan_out"]["consumer"] == "mine"
    assert taken.left == []
    assert current.keys() <= {option for option, _ in taken.taken}
    legacy = {NAMED_BEFORE[name]: value for name, value in current.items()}
    before = of(tmp_path, flink_with(options | {"connector": "kinesis-legacy"} | legacy))
    assert (taken.pipelines, taken.sections) == (before.pipelines, before.sections)


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


EVERY_FLINK = sorted((FLINK | FLINK_UNLISTED | FLINK_5 | RETRIES).keys() - {"sink.producer.*", "stream.arn"})


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
