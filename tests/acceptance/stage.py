"""What a scene plays on: an application of its own, its streams and tables, its engine under spark-submit, and the audit.

The engine's access key may do what the blueprint's policy says of an engine with this configuration, and nothing else; its
Snowflake role has the rights that the stack would grant. Dead letters lie in the embedded S3.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyspark

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.build import settings
from firnline_ingest.records.rejection import LeftOut
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.running import RunningEnvironment
from tests.acceptance.payloads import Put
from tests.acceptance.sums import SceneFailed, Sums
from tests.iam.running import enforce_statements

PATIENCE_S = 420.0
"""Ends what hangs. Nothing is measured by it."""
LOOK_S = 0.3
DATABASE = "FIRNLINE.RAW"
METADATA = "KINESISMETADATA OBJECT"
ACCOUNTED = ("ingested", "dead_letters", "reread_letters", "skipped", *LeftOut)
SPARK_SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"
ENTRY = Path(settings.__file__).parent / "files" / "entry.py"
SUFFICIENT, STOPPED = 0, 4
"""Exit statuses of an engine: all is well, and: a shard or a pipeline stands still."""


@dataclass
class Stage:
    """`name` is the application's, the bucket's and the ledger's."""

    environment: RunningEnvironment
    folder: Path
    name: str
    streams: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The pipeline of each, as engine.json has it."""
    sections: dict[str, Any] = field(default_factory=dict)
    """Of engine.json, beside what every stage has."""
    access: dict[str, Any] = field(default_factory=dict)
    """Fields of EngineAccess: what this engine may do beside reading its streams by polling."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.client("s3").create_bucket(Bucket=self.name)

    def client(self, service: str) -> Any:
        return self.environment.client(service)

    @cached_property
    def kinesis(self) -> Any:
        return self.client("kinesis")

    # What there is

    def pipeline(self, stream: str, *, shards: int = 1, columns: str = METADATA, **options: Any) -> str:
        """A stream and its table, which has the stream's name; the table's name."""
        self.kinesis.create_stream(StreamName=stream, ShardCount=shards)
        table = stream.replace("-", "_").upper()
        self.make_table(table, columns)
        self.streams[stream] = {"stream": stream, "database": "FIRNLINE", "schema": "RAW", "table": table, **options}
        return f"{DATABASE}.{table}"

    def make_table(self, table: str, columns: str = METADATA) -> None:
        """Anew, where it is there. Its rights are those that the stack grants."""
        name, roles = f"{DATABASE}.{table}", {each: self.environment.logins[each].role for each in ("ingest", "reader")}
        self.sql(
            f"CREATE OR REPLACE TABLE {name} ({columns}) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE",
            f"GRANT INSERT, EVOLVE SCHEMA ON TABLE {name} TO ROLE {roles['ingest']}",
            f"GRANT SELECT, SELECT ERROR TABLE ON TABLE {name} TO ROLE {roles['reader']}",
        )

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """The rows of the last one."""
        rows: list[tuple[Any, ...]] = []
        with closing(self.environment.connect("admin")) as session, closing(session.cursor()) as cursor:
            for statement in statements:
                rows = [tuple(row) for row in cursor.execute(statement).fetchall()]
        return rows

    def count(self, table: str) -> int:
        return int(self.sql(f"SELECT COUNT(*) FROM {table}")[0][0])

    def put(self, stream: str, puts: Iterable[Put]) -> int:
        """In their order, as far as a stream of several shards has one. How many they were."""
        entries = [
            {"Data": data, "PartitionKey": key or f"key-{n}", **({"ExplicitHashKey": hash_key} if hash_key else {})}
            for n, (data, key, hash_key) in enumerate(puts)
        ]
        for first in range(0, len(entries), 400):
            left = entries[first : first + 400]
            while left:
                answer = self.kinesis.put_records(StreamName=stream, Records=left)
                refused = [each for each, said in zip(left, answer["Records"], strict=True) if "ErrorCode" in said]
                time.sleep(LOOK_S if refused else 0.0)
                left = refused
        return len(entries)

    # The engine

    def document(self) -> dict[str, Any]:
        document = self.environment.engine_config(
            ledger={"table": self.name, "create": True},
            spark={"checkpoint": str(self.folder / "checkpoint"), "master": "local[2]"},
            epoch={"seconds": 10, "progress_seconds": 0.5},
        )
        document |= {"application": self.name, "pipelines": list(self.streams.values())}
        document["dead_letters"] = {"s3": f"s3://{self.name}/dead-letters/"}
        for section, values in self.sections.items():
            document[section] = {**document.get(section, {}), **values} if isinstance(values, Mapping) else values
        return document

    @property
    def config_file(self) -> Path:
        """Written anew each time it is asked for, and with it what the engine may do."""
        file = self.folder / "engine.json"
        file.write_text(json.dumps(self.document(), indent=2))
        region, account = self.environment.endpoints.region, self.environment.endpoints.aws_account
        access: dict[str, Any] = {
            "region": region,
            "streams": {name: f"arn:aws:kinesis:{region}:{account}:stream/{name}" for name in self.streams},
            "ledger_table": f"arn:aws:dynamodb:{region}:{account}:table/{self.name}",
            "ledger_name": self.name,
            "ledger_creation": True,
            "bucket": f"arn:aws:s3:::{self.name}",
            "letters_folder": "dead-letters/",
        }
        allowed = policy_document(engine_statements(EngineAccess(**{**access, **self.access})))["Statement"]
        principal = f"arn:aws:iam::{account}:user/{self.name}"
        enforce_statements(self.environment, self.key, principal=principal, statements=allowed)
        return file

    @property
    def key(self) -> str:
        return f"AKIA{self.name.replace('-', '').upper()}"

    @property
    def variables(self) -> dict[str, str]:
        """Of the engine."""
        return {**self.environment.variables, "AWS_ACCESS_KEY_ID": self.key}

    def engine(self, *arguments: str) -> EngineProcess:
        """Under spark-submit; `arguments` are `run`'s."""
        file = self.config_file
        conf = {"spark.ui.enabled": "false", "spark.master": "local[2]"}
        conf |= json.loads(file.read_text())["spark"].get("conf", {})
        command = [str(SPARK_SUBMIT), *(f"--conf={name}={value}" for name, value in conf.items())]
        python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
        variables = {**self.variables, **python, "SPARK_LOCAL_IP": "127.0.0.1"}
        return EngineProcess.of([*command, str(ENTRY), str(file), *arguments], variables, self.log_file)

    def run(self, *arguments: str, status: int = SUFFICIENT) -> None:
        """A bounded run. Raises SceneFailed where it ends otherwise."""
        with self.engine(*(arguments or ("--available-now",))) as engine:
            found = engine.wait(PATIENCE_S)
        if found != status:
            raise SceneFailed(f"the engine ended with {found}, not {status}", list(engine.last_lines))

    def until(self, found: Callable[[], Any], engine: EngineProcess, what: str) -> Any:
        """Raises SceneFailed where it does not come about."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not (value := found()):
            if engine.exit_status is not None or time.monotonic() > give_up_s:
                raise SceneFailed(f"not {what}; the engine's status is {engine.exit_status}", list(engine.last_lines))
            time.sleep(LOOK_S)
        return value

    def stop(self, engine: EngineProcess, status: int = SUFFICIENT) -> None:
        """As an operator does, with everything proven."""
        self.ingest("stop")
        if (found := engine.wait(PATIENCE_S)) != status:
            raise SceneFailed(f"the engine that was stopped ended with {found}, not {status}", list(engine.last_lines))

    def ingest(self, *arguments: str) -> str:
        """`python -m firnline_ingest`, as the engine."""
        return self._command([sys.executable, "-m", "firnline_ingest", *arguments], self.variables)

    def firnline(self, *arguments: str, statuses: Sequence[int] = (0,)) -> str:
        """As an operator."""
        program = str(Path(sys.executable).parent / "firnline")
        return self._command([program, *arguments], self.environment.variables, statuses)

    def _command(self, command: list[str], variables: Mapping[str, str], statuses: Sequence[int] = (0,)) -> str:
        done = subprocess.run(
            [*command, "--config", str(self.config_file)],
            env={**os.environ, **variables},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        if done.returncode not in statuses:
            said = [*done.stdout.splitlines()[-20:], *done.stderr.splitlines()[-20:]]
            raise SceneFailed(f"{' '.join(command[1:4])} ended with {done.returncode}", said)
        return done.stdout

    # What became of it

    def check_receipts(self) -> None:
        """Each of them accounts for each record. Raises SceneFailed."""
        receipts = self.log("shard.receipt")
        uneven = [line for line in receipts if line["records"] != sum(line[name] for name in ACCOUNTED)]
        if uneven or not receipts:
            raise SceneFailed(f"{len(uneven)} of {len(receipts)} receipts are uneven", map(json.dumps, uneven[:3]))

    @property
    def log_file(self) -> Path:
        return self.folder / "engine.log"

    def log(self, event: str) -> list[dict[str, Any]]:
        """Its lines of one kind."""
        lines = self.log_file.read_text(errors="replace").splitlines()
        found = [json.loads(line) for line in lines if line.startswith("{")]
        return [line for line in found if line.get("event") == event]

    def problems(self) -> Counter[tuple[str, str]]:
        """By stream and id, what shards and pipelines were stopped by."""
        failed = self.log("shard.failed") + self.log("pipeline.failed")
        return Counter((str(line.get("stream") or line["shard"].split("/")[0]), line["problem"]) for line in failed)

    def letters(self, stream: str) -> Counter[str]:
        """By their reasons."""
        told = self.firnline("dead-letters", "export", "--stream", stream)
        return Counter(json.loads(line)["reason"] for line in told.splitlines())

    def audit(self, *arguments: str) -> dict[str, Sums]:
        """`firnline audit --content`, by stream."""
        reader = self.environment.logins["reader"]
        who = ("--reader-user", reader.user, "--reader-role", reader.role)
        key = ("--reader-key", str(reader.private_key_file))
        told = self.firnline("audit", "--content", "--json", *who, *key, *arguments, statuses=(0, 3))
        return {each["stream"]: Sums.of(each) for each in json.loads(told)["pipelines"]}
