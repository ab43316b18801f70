"""The engine on an environment that `up` has made, with the configuration that the stack gives out. No Spark around it."""

import copy
import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from firnline_infra.accounts.accounts import rows
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.values import TargetTable
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment

RUN = (
    "import sys; from firnline_ingest.spark.task import ingest_partition\n"
    "print(*ingest_partition([sys.stdin.read()]), sep='\\n')"
)


def run_the_engine(environment: RunningEnvironment, outputs: Mapping[str, Any], events: list[Any]) -> list[Any]:
    """Puts the events, ingests them, and returns what the reader then sees in the table's column N."""
    config = parse(EngineConfig, document(environment, outputs), "engine.json")
    (pipeline,) = config.pipelines
    environment.put_events(pipeline.stream, events, key=lambda number, _: str(number))
    ingest(config)
    table = f"{pipeline.database}.{pipeline.schema_}.{pipeline.table}"
    with closing(_reader(environment, outputs)) as session:
        return [row["n"] for row in rows(session, f"SELECT N FROM {table} ORDER BY N")]


def ingest(config: EngineConfig) -> None:
    """Takes in what the one stream has by now, as a task does that Spark has started, and proves the rows."""
    (pipeline,) = config.pipelines
    lineage = read_lineage(kinesis_client(config.aws), pipeline.stream)
    assert pipeline.table is not None
    pipe = pipeline.pipe or f"{pipeline.table}-STREAMING"
    target = TargetTable(pipeline.database, pipeline.schema_, pipeline.table, "", pipe)
    shards = tuple(
        PlannedShard(1, pipeline.stream, lineage.stream_created_ms, shard, "h", 24, "", target)
        for shard in lineage.shards
    )
    arrival_ms = int(datetime.now(UTC).timestamp() * 1000) + 60_000
    lease = RunLease(open_ledger(config), config.application, sleep=lambda _: None)
    lease.begin()
    assignment = Assignment(config, lease.run.run_id, shards, 60, arrival_ms, log_level="WARNING")
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, input=assignment.to_json(), capture_output=True, text=True, check=False, timeout=120)
    lease.end()
    assert done.returncode == 0, done.stderr
    receipts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert {receipt["state"] for receipt in receipts} == {"done"}, done.stderr


def _reader(environment: RunningEnvironment, outputs: Mapping[str, Any]) -> Any:
    """The user that the stack has made, with its key from where the stack says it is."""
    if "secret_arns" not in outputs:
        return environment.connect("reader")
    secret = environment.client("secretsmanager").get_secret_value(SecretId=outputs["secret_arns"]["reader"])
    login = environment.logins["reader"]
    accounts = EmbeddedAccounts(environment)
    return accounts.snowflake_as(user=login.user, role=login.role, private_key=secret["SecretString"])


def document(environment: RunningEnvironment, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The stack's own, and what is only known of an embedded environment: its addresses, and a folder that is there."""
    config, here = copy.deepcopy(outputs["engine_config"]), environment.state.engine_config
    config["aws"]["endpoints"] = here["aws"]["endpoints"]
    config["snowflake"] |= {name: here["snowflake"][name] for name in ("url", "ca_file")}
    config["dead_letters"] = here["dead_letters"]
    if "env" in config["snowflake"]["private_key"]:
        config["snowflake"]["private_key"] = here["snowflake"]["private_key"]
    return config
