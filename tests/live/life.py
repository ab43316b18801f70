"""One small EPHEMERAL environment, from an empty folder to nothing, by the commands that people type.

Which accounts these are is said by environment variables alone.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.environment import Environment
from firnline_infra.kinds.keys_and_secrets import environment_key_policy
from firnline_infra.render.bootstrap.snowflake import required_grant_statements, role_statements
from firnline_infra.specification import load_spec
from tests.live.accounts import administrator
from tests.live.names import Run
from tests.live.questions import environment

RECORDS = 300
FURTHER = ("cold", "quick")
"""The streams into an Iceberg table on a volume of the environment's own, and into an interactive table."""
GITHUB = "example/firnline-live"
FIRNLINE = str(Path(sys.executable).with_name("firnline"))
Say = Callable[[str], None]


class CommandFailed(Exception):
    """A command of the life ended otherwise than it should have."""


@dataclass(frozen=True, kw_only=True)
class Command:
    words: str
    expected: tuple[int, ...] = (0,)
    """Exit statuses that the story goes on with."""


def commands(environment: str) -> dict[str, Command]:
    """Each by what it is there for, in their order."""
    return {
        "specification": Command(words=f"spec check {environment}"),
        "bootstrap": Command(words=f"bootstrap {environment} --github {GITHUB} --into bootstrap"),
        "key of the engine": Command(words=f"keys create {environment} ingest"),
        "key of the reader": Command(words=f"keys create {environment} reader"),
        "doctor": Command(words=f"doctor {environment}", expected=(0, 2, 3)),
        "preview": Command(words=f"preview {environment}"),
        "up": Command(words=f"up {environment}"),
        "nothing left to do": Command(words=f"preview {environment} --expect-no-changes"),
        "configuration": Command(words=f"outputs {environment} --engine-config"),
        "validate": Command(words="validate --config engine.json"),
        "run": Command(words="run --config engine.json --available-now"),
        "audit": Command(words="audit --config engine.json --output json --reader-key reader.pem"),
        "drift": Command(words=f"drift {environment}"),
        "destroy": Command(words=f"destroy {environment} --yes"),
    }


SETTLES: dict[str, tuple[str, ...]] = {
    "doctor": (),
    "preview": ("B23",),
    "up": ("B23", "B24", "B53", "B90", "B131"),
    "nothing left to do": ("B56", "B59", "B92"),
    "validate": ("B31",),
    "run": ("B90",),
    "audit": ("B90",),
    "drift": ("B56",),
    "destroy": ("B131",),
}
"""What a command's exit status settles."""


@dataclass(frozen=True, kw_only=True)
class Life:
    run: Run
    folder: Path
    variables: Mapping[str, str]
    region: str
    snowflake_account: str
    seconds_left: Callable[[], float]
    say: Say
    held: tuple[int, ...] = ()
    """Files that commands keep open: the run's lock, so that it is not over while a command of it lives on."""
    answers: dict[str, Any] = field(default_factory=dict)
    """By question (questions/environment.py)."""

    def live(self) -> dict[str, Any]:
        """Returns what each command ended with. Raises CommandFailed, or subprocess.TimeoutExpired where the time is over."""
        ended: dict[str, Any] = {}
        self.prepare()
        for name, command in commands(self.run.environment).items():
            before = getattr(self, f"_before_{name}", None)
            if before is not None:
                before()
            words = f"{command.words} {self._reader}" if name == "audit" else command.words
            printed, status = self._firnline(words, command.expected)
            ended[name] = status
            if name == "configuration":
                self._write_engine_config(json.loads(printed))
                self.ask_of_the_environment()
            if name == "audit" and json.loads(printed)["proven"] is not True:
                raise CommandFailed(f"The audit proves nothing:\n{printed}")
        return ended

    def prepare(self) -> None:
        """Writes the specification, and makes what an administrator has made before the first `up`."""
        self._write_specification()
        self._prepare_aws()
        self._prepare_snowflake()

    def ask_of_the_environment(self) -> None:
        """Asks as each role of the environment, which the administrator is given for that."""
        names = blueprint_of(load_spec(self.spec_file)).names
        roles = {
            "preview": names.preview_role.sql,
            "ingest": f"{self.run.snowflake}_INGEST",
            "deploy": names.deploy_role.sql,
        }
        more = {"db": self.run.snowflake, "warehouse": self.run.warehouse, "volume": self.run.volume}
        user = self.variables["SNOWFLAKE_USER"]
        with closing(administrator(self.variables, self.snowflake_account)) as session:
            acting = session.role
            with closing(session.cursor()) as cursor:
                for role in roles.values():
                    cursor.execute(f'GRANT ROLE {role} TO USER "{user}"')
                    cursor.execute(f"GRANT USAGE ON WAREHOUSE {self.run.warehouse} TO ROLE {role}")
            self.answers.update(environment.asked(session, {**roles, **more}, self.run.placeholders({})))
            with closing(session.cursor()) as cursor:  # drift would find what only the questions needed
                cursor.execute(f"USE ROLE {acting}")
                cursor.execute(f"REVOKE USAGE ON WAREHOUSE {self.run.warehouse} FROM ROLE {roles['ingest']}")
                for role in (roles["ingest"], roles["preview"]):
                    cursor.execute(f'REVOKE ROLE {role} FROM USER "{user}"')

    def _before_run(self) -> None:
        """Records for each stream, and the reader's key for the audit."""
        body = [{"Data": json.dumps({"id": str(n)}).encode(), "PartitionKey": str(n)} for n in range(RECORDS)]
        for stream in (self.run.aws, *(f"{self.run.aws}-{each}" for each in FURTHER)):
            put = self._aws("kinesis").put_records(StreamName=stream, Records=body)
            if put["FailedRecordCount"]:
                raise CommandFailed(f"{put['FailedRecordCount']} of {RECORDS} records of {stream} were not taken.")
        secret = self._aws("secretsmanager").get_secret_value(SecretId=f"{self.run.aws}/snowflake/reader")
        key = self.folder / "reader.pem"
        key.touch(mode=0o600)
        key.write_text(secret["SecretString"], encoding="ascii")

    @property
    def _reader(self) -> str:
        reader = f"{self.run.snowflake}_READER"
        return f"--reader-user {reader} --reader-role {reader} --warehouse {self.run.warehouse}"

    @property
    def spec_file(self) -> Path:
        return self.folder / "stacks" / "environments" / f"{self.run.environment}.yaml"

    def _write_specification(self) -> None:
        """Writes it as `firnline init` would, but for one shard, and what an account would have from a bootstrap."""
        account = self._aws("sts").get_caller_identity()["Account"]
        self._firnline(
            f"init --name {self.run.environment} --region {self.region} --aws-account {account} --ephemeral"
            f" --snowflake-account {self.snowflake_account} --warehouse {self.run.warehouse}"
            f" --stream {self.run.aws} --database {self.run.snowflake} --schema RAW --runtime by-hand"
        )
        document = yaml.safe_load(self.spec_file.read_text(encoding="utf-8"))
        del document["aws"]["permissions_boundary"]
        document["streams"] = [{"name": self.run.aws, "shards": 1, "consumers": ["firnline"]}]
        document["streams"] += [{"name": f"{self.run.aws}-{each}", "shards": 1} for each in FURTHER]
        (first,) = document["pipelines"]
        first["reader"] = {"fan_out": {"consumer": "firnline"}}
        document["pipelines"] += [
            {
                "stream": f"{self.run.aws}-cold", "database": self.run.snowflake, "schema": "RAW", "table": "COLD",
                "table_kind": "iceberg", "external_volume": self.run.volume,
                "columns": [{"name": "ID", "type": "VARCHAR"}],
            },
            {
                "stream": f"{self.run.aws}-quick", "database": self.run.snowflake, "schema": "RAW", "table": "QUICK",
                "table_kind": "interactive", "cluster_by": ["ID"],
                "columns": [{"name": "ID", "type": "VARCHAR"}, {"name": "NOTE", "type": "VARCHAR"}],
            },
        ]  # fmt: skip
        document["snowflake"]["external_volumes"] = [{"name": self.run.volume, "bucket": f"{self.run.aws}-lake"}]
        document["snowflake"]["interactive_warehouse"] = {"name": f"{self.run.warehouse}_FAST"}
        self.spec_file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        settings = self.folder / "stacks" / "pulumi" / f"Pulumi.{self.run.environment}.yaml"
        said = yaml.safe_load(settings.read_text(encoding="utf-8"))
        settings.write_text(yaml.safe_dump({**said, "secretsprovider": "passphrase"}), encoding="utf-8")

    def _prepare_aws(self) -> None:
        """The environment's key, as an administrator's part of the bootstrap; the sweep finds it by its tag."""
        spec, kms = load_spec(self.spec_file), self._aws("kms")
        tags = Environment.of(spec).tags("key")
        named = [{"TagKey": name, "TagValue": value} for name, value in tags.items()]
        policy = policy_document(environment_key_policy(blueprint_of(spec)), str)
        made = kms.create_key(Description=self.run.aws, Tags=named, Policy=json.dumps(policy))
        key = made["KeyMetadata"]["KeyId"]
        kms.enable_key_rotation(KeyId=key)
        kms.create_alias(AliasName=f"alias/{self.run.aws}", TargetKeyId=key)

    def _prepare_snowflake(self) -> None:
        """A warehouse, and the role that deploys: an administrator's part of the bootstrap."""
        spec = load_spec(self.spec_file)
        blueprint = blueprint_of(spec)
        with (
            closing(administrator(self.variables, self.snowflake_account)) as session,
            closing(session.cursor()) as cursor,
        ):
            cursor.execute(
                f"CREATE WAREHOUSE IF NOT EXISTS {self.run.warehouse} WAREHOUSE_SIZE = XSMALL AUTO_SUSPEND = 60"
                " INITIALLY_SUSPENDED = TRUE"
            )
            for statement in (*role_statements(blueprint), *required_grant_statements(blueprint)):
                cursor.execute(statement)
            user = self.variables["SNOWFLAKE_USER"]
            cursor.execute(f'GRANT ROLE {blueprint.names.deploy_role.sql} TO USER "{user}"')

    def _write_engine_config(self, document: dict[str, Any]) -> None:
        """The engine runs on this machine, whatever the specification says of EMR; what it reads and writes stays."""
        snowflake, host = document["snowflake"], self.variables.get("SNOWFLAKE_HOST")
        if host:
            snowflake["url"] = f"https://{host}:{self.variables.get('SNOWFLAKE_PORT', '443')}"
        if authority := self.variables.get("SSL_CERT_FILE"):
            snowflake["ca_file"] = authority
        document["dead_letters"] = {"folder": str(self.folder / "dead-letters")}
        document["spark"] = {"checkpoint": str(self.folder / "checkpoint"), "master": "local[2]"}
        (self.folder / "engine.json").write_text(json.dumps(document, indent=2), encoding="utf-8")

    def _aws(self, service: str) -> Any:
        return boto3.Session(region_name=self.region).client(service)  # type: ignore[call-overload]

    def _firnline(self, words: str, expected: tuple[int, ...] = (0,)) -> tuple[str, int]:
        self.say(f"$ firnline {words}")
        own = {name: value for name, value in self.variables.items() if name != "SNOWFLAKE_ROLE"}
        ended = subprocess.run(
            [FIRNLINE, *words.split()],
            cwd=self.folder,
            env=own,
            pass_fds=self.held,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=max(self.seconds_left(), 1.0),
        )
        if ended.returncode not in expected:
            raise CommandFailed(f"firnline {words}: {ended.returncode}\n{ended.stdout[-5000:]}\n{ended.stderr[-5000:]}")
        return ended.stdout, ended.returncode
