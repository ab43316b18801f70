"""Tests of what the page takes over of another connector's configuration says the same in ours, option by option."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from firnline_infra.blueprint.engine_config import engine_config, engine_inputs
from firnline_infra.cli.main import firnline
from firnline_infra.environment import Environment
from firnline_infra.specification import parse_spec
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.other_names import KAFKA, OPENFLOW

PAGE = (Path(__file__).parents[2] / "docs" / "from-other-connectors.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```properties\n(.*?)```\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)
ARN = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:key-AbCdEf"
SAID_HERE: dict[str, dict[str, Any]] = {
    "AWS Kinesis Region": {"aws.region": "eu-central-1"},
    "AWS Kinesis Application Name": {"application": "orders-app"},
    "AWS Kinesis Consumer Type": {"pipelines.0.reader.fan_out.registration": "lazy"},
    "AWS Kinesis Initial Stream Position": {"pipelines.0.initial_position.at": "TRIM_HORIZON"},
    "AWS Kinesis Stream Name": {"pipelines.0.stream": "orders"},
    "Snowflake Destination Database": {"pipelines.0.database": "KINESIS_DB"},
    "Snowflake Destination Schema": {"pipelines.0.schema_": "KINESIS_SCHEMA"},
    "Snowflake Destination Table": {
        "pipelines.0.table": "ORDERS",
        "pipelines.0.metadata.sharded_digits": 5,
        "pipelines.0.metadata.times": "iso",
    },
    "Destination type": {"pipelines.0.pipe": "ORDERS_TYPED"},
    "Pipe": {"pipelines.0.pipe": "ORDERS_TYPED"},
    "topics": {"pipelines.0.stream": "orders"},
    "snowflake.url.name": {"snowflake.account": "ACME-PROD"},
    "snowflake.user.name": {"snowflake.user": "KAFKA_USER"},
    "snowflake.role.name": {"snowflake.role": "KAFKA_ROLE"},
    "snowflake.database.name": {"pipelines.0.database": "SHOP"},
    "snowflake.schema.name": {"pipelines.0.schema_": "RAW"},
    "snowflake.topic2table.map": {"pipelines.0.table": "ORDER_TABLE"},
    "snowflake.metadata.all": {"pipelines.0.metadata.form": "variant"},
    "snowflake.metadata.topic": {"pipelines.0.metadata.stream": True},
    "snowflake.metadata.offset.and.partition": {
        "pipelines.0.metadata.sequence_number": True,
        "pipelines.0.metadata.shard_id": True,
    },
    "snowflake.metadata.createtime": {"pipelines.0.metadata.approximate_arrival": False},
    "behavior.on.null.values": {"pipelines.0.empty_records": "ignore"},
    "errors.tolerance": {"pipelines.0.tolerance": "all"},
    "transforms": {"pipelines.0.transforms.0.type": "hoist", "pipelines.0.transforms.0.field": "content"},
}
ELSEWHERE = {
    "AWS Access Key ID": "a role needs none",
    "AWS Secret Access Key": "a role needs none",
    "topics.regex": "many-streams.md",
    "tasks.max": "follows from the shards",
    "snowflake.private.key": "snowflake.private_key",
    "snowflake.private.key.passphrase": "snowflake.private_key.secret_arn",
    "key.converter": "partition_key",
    "value.converter": "pipelines[].format",
    "value.converter.schema.registry.url": "pipelines[].format",
    "jvm.proxy.host": "proxy.url",
    "jvm.proxy.port": "proxy.url",
    "jvm.nonProxy.hosts": "proxy.no_proxy",
    "jvm.proxy.username": "proxy.login",
    "jvm.proxy.password": "proxy.login",
}
"""What no specification has to say, or what the page names without an example."""


@pytest.mark.parametrize("block", BLOCKS, ids=["openflow", "kafka"])
def test_each_option_of_the_block_has_its_value_here(block: tuple[str, str]) -> None:
    given, declared = block
    document = yaml.safe_load(declared)
    spec = parse_spec(yaml.safe_dump(document), "moved.yaml")
    made = engine_config(Environment.of(spec), engine_inputs(Environment.of(spec))) | {
        "snowflake": {**_snowflake(spec), "private_key": {"secret_arn": ARN}}
    }
    config = parse(EngineConfig, made, "engine.json")
    options = [re.split(r"\s*=\s*", line)[0] for line in given.strip().splitlines()]
    for option in (each for each in options if not each.startswith("transforms.")):
        for path, value in SAID_HERE[option].items():
            assert _at(config, path) == value, option


def test_the_command_that_the_page_names_writes_what_owners_grant(tmp_path: Path) -> None:
    (command,) = re.findall(r"1\. `firnline (\w+) ENV`", PAGE)
    (tmp_path / "orders.yaml").write_text(BLOCKS[0][1])
    written = CliRunner().invoke(firnline, [command, str(tmp_path / "orders.yaml"), "--github", "acme/data"]).output
    for granted in (
        'USAGE ON DATABASE "KINESIS_DB"',
        'ON TABLE "KINESIS_DB"."KINESIS_SCHEMA"."ORDERS"',
        "OPERATE ON PIPE",
    ):
        assert granted in written


def test_every_option_of_both_is_said_somewhere() -> None:
    known = {**OPENFLOW, **KAFKA}
    in_blocks = {re.split(r"\s*=\s*", line)[0] for given, _ in BLOCKS for line in given.strip().splitlines()}
    assert {option for option in in_blocks if not option.startswith("transforms.")} == set(SAID_HERE)
    assert set(SAID_HERE) | set(ELSEWHERE) == set(known)
    for option, words in ELSEWHERE.items():
        assert words in known[option] or words in PAGE, option


def _snowflake(spec: Any) -> dict[str, Any]:
    found: dict[str, Any] = engine_config(Environment.of(spec), engine_inputs(Environment.of(spec)))["snowflake"]
    return found


def _at(config: object, path: str) -> object:
    found: Any = config
    for step in path.split("."):
        found = found[int(step)] if step.isdecimal() else getattr(found, step)
    return found
