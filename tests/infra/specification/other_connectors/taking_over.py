"""A file of another connector's, and what becomes of it."""

import re
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner, Result

from firnline_infra.cli.main import firnline
from firnline_infra.specification import load_spec
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.other_connectors import TakenOver, take_over

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


def written() -> EnvironmentSpec:
    checked = CliRunner().invoke(firnline, ["spec", "check", "dev"])
    assert checked.exit_code == 0, checked.output
    return load_spec(Path("stacks/environments/dev.yaml"))


def of(tmp_path: Path, text: str) -> TakenOver:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    return take_over(tmp_path / "file")


def told(taken: TakenOver) -> set[str]:
    return {option for option, _ in taken.taken} | {each.option for each in taken.left}


def flink_with(options: dict[str, str]) -> str:
    body = ", ".join(f"'{name}' = '{value}'" for name, value in options.items())
    return f"CREATE TABLE t (a INT) WITH ({body})"


BASE = {"connector": "kinesis", "stream": "s", "format": "json"}
