"""Stages of scenes: an application of its own, its streams and tables, its engine under spark-submit, and the audit.

The engine's access key may do what the blueprint's policy says of an engine with this configuration, and nothing else; its
Snowflake role has the rights that the stack would grant. Dead letters lie in the embedded S3.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyspark

from firnline_infra import artefact
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_ingest.records.rejection import LeftOut
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.running import RunningEnvironment
from tests.acceptance.orders import as_json
from tests.acceptance.payloads import Put
from tests.acceptance.sums import SceneFailed, Sums
from tests.fakes.kinesis import made_active
from tests.iam.running import enforce_statements

PATIENCE_S = 420.0
"""Ends what hangs. Nothing is measured by it."""
LOOK_S = 0.3
DATABASE = "FIRNLINE.RAW"
METADATA = "KINESISMETADATA OBJECT"
ACCOUNTED = ("ingested", "dead_letters", "reread_letters", "skipped", *LeftOut)
SPARK_SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"
FIRNLINE = str(Path(sys.executable).parent / "firnline")
ENTRY = Path(artefact.__file__).parent / "files" / "entry.py"
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
        made_active(self.kinesis, stream, shards=shards)
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

    def numbers(self, stream: str, first: int, count: int) -> int:
        """Good records of JSON, numbered from `first`; the next number."""
        return first + self.put(stream, (Put(as_json(n)) for n in range(first, first + count)))

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
            spark={"checkpoint": str(self.folder / "checkpoint"), "master": None},
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
        """Returns the engine's environment variables."""
        return {**self.environment.variables, "AWS_ACCESS_KEY_ID": self.key}

    def engine(self, *arguments: str, conf: Mapping[str, str] = {}) -> EngineProcess:
        """Under spark-submit; `arguments` are `run`'s, `conf` are Spark's."""
        file, conf = self.config_file, {"spark.ui.enabled": "false", "spark.master": "local[2,8]", **conf}
        command = [str(SPARK_SUBMIT), *(f"--conf={name}={value}" for name, value in conf.items())]
        python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
        variables = {**self.variables, **python, "SPARK_LOCAL_IP": "127.0.0.1"}
        return EngineProcess.of([*command, str(ENTRY), str(file), *arguments], variables, self.log_file)

    def run(self, *, status: int = SUFFICIENT) -> None:
        """Takes in what is there. Raises SceneFailed where it ends otherwise."""
        with self.engine("--available-now") as engine:
            found = engine.wait(PATIENCE_S)
        if found != status:
            raise SceneFailed(f"the engine ended with {found}, not {status}", self.last_lines())

    def ended(self, *arguments: str) -> int:
        """The exit status of a run that ends by itself."""
        with self.engine(*arguments) as engine:
            return engine.wait(PATIENCE_S)

    def until(self, found: Callable[[], Any], engine: EngineProcess, what: str) -> None:
        """Raises SceneFailed where it does not come about, or the engine ends before it does."""

        def is_so() -> Any:
            if engine.exit_status is not None:
                raise SceneFailed(f"{what}: the engine ended with {engine.exit_status}", self.last_lines())
            return found()

        self.wait(is_so, what, self.last_lines)

    def wait(self, found: Callable[[], Any], what: str, said: Callable[[], Iterable[str]]) -> None:
        """Raises SceneFailed where it does not come about, with the end of what was said."""
        give_up_s = time.monotonic() + PATIENCE_S
        while not found():
            if time.monotonic() > give_up_s:
                raise SceneFailed(f"{what}: not within {PATIENCE_S:.0f} s", list(said())[-30:])
            time.sleep(LOOK_S)

    def stop(self, engine: EngineProcess, status: int = SUFFICIENT) -> None:
        """Stops as an operator does, with everything proven."""
        self.ingest("stop")
        if (found := engine.wait(PATIENCE_S)) != status:
            raise SceneFailed(f"the engine that was stopped ended with {found}, not {status}", self.last_lines())

    def ingest(self, *arguments: str) -> str:
        """`python -m firnline_ingest`, as the engine."""
        return self._command([sys.executable, "-m", "firnline_ingest", *arguments], self.variables)

    def firnline(self, *arguments: str, statuses: Sequence[int] = (0,)) -> str:
        """Runs a command as an operator."""
        return self._command([FIRNLINE, *arguments], self.environment.variables, statuses)

    def _command(
        self,
        command: list[str],
        variables: Mapping[str, str],
        statuses: Sequence[int] = (0,),
        config_file: Path | None = None,
    ) -> str:
        done = subprocess.run(
            [*command, "--config", str(config_file or self.config_file)],
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

    def last_lines(self) -> list[str]:
        """Returns lines of the engine's log that are not progress: under spark-submit it has all of what is said."""
        lines = self.log_file.read_text(errors="replace").splitlines()
        return [line[:600] for line in lines if ".progress" not in line][-30:]

    def log(self, event: str) -> list[dict[str, Any]]:
        """Returns its lines of one kind."""
        lines = self.log_file.read_text(errors="replace").splitlines()
        found = [json.loads(line) for line in lines if line.startswith("{")]
        return [line for line in found if line.get("event") == event]

    def problems(self) -> Counter[tuple[str, str]]:
        """By stream and id, what shards and pipelines were stopped by."""
        failed = self.log("shard.failed") + self.log("pipeline.failed")
        return Counter(
            (str(line.get("stream") or line["shard"].split("/")[0]), str(line["problem"])) for line in failed
        )

    def is_proven(self, stream: str, records: int) -> bool:
        """Returns whether so many of its records are accounted for, and each shard's last receipt proves all that was sent."""
        last = {line["shard_id"]: line for line in self.log("shard.receipt") if line["stream"] == stream}
        taken = sum(line["records"] for line in self.log("shard.receipt") if line["stream"] == stream)
        return taken >= records and all(line["end"] == line["proven"] for line in last.values())

    def letters(self) -> Mapping[str, Counter[str]]:
        """By stream, how many there are for each reason."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for line in self.firnline("dead-letters", "export").splitlines():
            letter = json.loads(line)
            found[letter["stream"]][letter["reason"]] += 1
        return found

    def audit(self, *arguments: str, reader: str = "reader", config_file: Path | None = None) -> dict[str, Sums]:
        """`firnline audit --content`, by stream. Modules of the stage's folder are on its path."""
        login = self.environment.logins[reader]
        who = ("--reader-user", login.user, "--reader-role", login.role, "--reader-key", str(login.private_key_file))
        command = [FIRNLINE, "audit", "--content", "-o", "json", *who, *arguments]
        variables = {**self.environment.variables, "PYTHONPATH": str(self.folder)}
        told = self._command(command, variables, statuses=(0, 3), config_file=config_file)
        return {each["stream"]: Sums.of(each) for each in json.loads(told)["pipelines"]}
