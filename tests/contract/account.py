"""An embedded AWS with what engines of some features work with, and what it saw of each of them."""

import io
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fastavro
import pytest

from firnline_infra.blueprint.iam.engine import EngineAccess
from firnline_ingest.ledger.dynamodb import KEY_SCHEMA
from firnline_ingest.permissions import Feature
from firnline_local.running import RunningEnvironment
from tests.fakes.confluent_registry import Registry
from tests.fakes.kinesis import made_active
from tests.iam.request import Access
from tests.iam.running import calls_of, enforce_statements

EngineWithoutSpark = Any  # of conftest.py
Statement = Mapping[str, Any]
INTO = {"database": "FIRNLINE", "schema": "RAW"}
RECORDS = (b'{"n": 1}', b"bad", b'{"n": 2}')
LARGE = b'{"n": 3, "text": "' + b"x" * 2000 + b'"}'
SCHEMA = {"type": "record", "name": "R", "fields": [{"name": "n", "type": "long"}]}
LOGIN = ("engine", "secret")


@dataclass
class Account:
    """The embedded AWS, with what an engine of some features works with, and what it saw of each engine."""

    environment: RunningEnvironment
    engine_of: Callable[..., EngineWithoutSpark]
    folder: Path
    registry: Registry
    clients: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        if service not in self.clients:
            self.clients[service] = self.environment.client(service)
        return self.clients[service]

    def key(self) -> str:
        arn: str = self.client("kms").create_key()["KeyMetadata"]["Arn"]
        return arn

    def made_for(self, features: Iterable[Feature]) -> EngineAccess:
        """Everything that an engine of these features works with, but what it makes itself."""
        on, name = set(features), f"p{uuid.uuid4().hex[:8]}"
        keys = {feature: self.key() for feature in on if feature.name.endswith("_KEY")}
        region, account = self.environment.endpoints.region, self.environment.endpoints.aws_account
        self._stream(name, keys.get(Feature.STREAM_KEY), self._records(name, on))
        self._table(name)
        if Feature.S3_OVERSIZE_ROWS in on:
            self._way_for_files(name)
        if Feature.LEDGER_CREATION not in on:
            self._ledger(name, keys.get(Feature.LEDGER_KEY))
        if letters_stream := f"{name}-letters" if Feature.STREAM_DEAD_LETTERS in on else None:
            self._stream(letters_stream, keys.get(Feature.LETTER_STREAM_KEY), records=[])
        if uses_bucket := on & {Feature.S3_CHECKPOINT, Feature.S3_JOB_FILES, Feature.S3_LOGS, Feature.S3_DEAD_LETTERS}:
            self._bucket(name, keys.get(Feature.BUCKET_KEY))
        stream = f"arn:aws:kinesis:{region}:{account}:stream/{name}"
        registers = Feature.REGISTRATION in on
        return EngineAccess(
            region=region,
            streams={name: stream},
            patterns={f"{name}-*": f"{stream}-*"} if Feature.STREAM_PATTERNS in on else {},
            polls=Feature.FAN_OUT not in on,
            consumers=(f"{stream}/consumer/{name}:*" if registers else self._consumer(name),)
            if Feature.FAN_OUT in on
            else (),
            registering=(stream,) if registers else (),
            registered=(f"{stream}/consumer/{name}:*",) if registers else (),
            stream_keys=tuple(filter(None, [keys.get(Feature.STREAM_KEY)])),
            ledger_table=f"arn:aws:dynamodb:{region}:{account}:table/{name}",
            ledger_name=name,
            ledger_creation=Feature.LEDGER_CREATION in on,
            ledger_key=keys.get(Feature.LEDGER_KEY),
            secrets=(self._secret(name, keys.get(Feature.SECRET_KEY)),) if Feature.SECRET in on else (),
            secret_key=keys.get(Feature.SECRET_KEY),
            asks_glue=Feature.GLUE_REGISTRY in on,
            registry_logins=(self._login(name, keys.get(Feature.REGISTRY_LOGIN_KEY)),)
            if Feature.REGISTRY_LOGIN in on
            else (),
            registry_login_keys=tuple(filter(None, [keys.get(Feature.REGISTRY_LOGIN_KEY)])),
            bucket=f"arn:aws:s3:::{name}" if uses_bucket else None,
            checkpoint_folder="checkpoint/" if Feature.S3_CHECKPOINT in on else None,
            job_folders=("configuration/",) if Feature.S3_JOB_FILES in on else (),
            letters_folder="dead-letters/" if Feature.S3_DEAD_LETTERS in on else None,
            reads_letters=Feature.S3_OVERSIZE_ROWS in on,
            log_folder="logs/" if Feature.S3_LOGS in on else None,
            letters_stream=f"arn:aws:kinesis:{region}:{account}:stream/{letters_stream}" if letters_stream else None,
            letters_stream_key=keys.get(Feature.LETTER_STREAM_KEY),
            bucket_key=keys.get(Feature.BUCKET_KEY),
        )

    def engine(self, access: EngineAccess) -> EngineWithoutSpark:
        (name,) = access.streams
        secret = {"snowflake": {"private_key": {"secret_arn": access.secrets[0]}}} if access.secrets else {}
        return self.engine_of(
            application=name,
            pipeline={
                **INTO,
                "stream": name,
                "table": name,
                "reader": self._reader(access),
                "format": self._format(access),
                **({"oversize_rows": "file", "max_row_bytes": 1024} if access.reads_letters else {}),
            },
            patterns=[{**INTO, "streams": f"{name}-.*"}] if access.patterns else [],
            ledger={"table": access.ledger_name, "create": access.ledger_creation},
            dead_letters=self._letters(access, name),
            **secret,
        )

    def _format(self, access: EngineAccess) -> dict[str, Any]:
        if access.asks_glue:
            return {"type": "avro", "framing": "glue"}
        if not access.registry_logins:
            return {"type": "json"}
        login = {
            "secret_arn": access.registry_logins[0],
            "secret_key_arn": next(iter(access.registry_login_keys), None),
        }
        return {"type": "avro", "framing": "confluent", "registry": {"url": self.registry.url, "login": login}}

    def _records(self, name: str, on: set[Feature]) -> Sequence[bytes]:
        if Feature.GLUE_REGISTRY in on:
            made = self.client("glue").create_schema(
                SchemaName=name, DataFormat="AVRO", Compatibility="NONE", SchemaDefinition=json.dumps(SCHEMA)
            )
            frame = b"\3\0" + uuid.UUID(made["SchemaVersionId"]).bytes
        elif Feature.REGISTRY_LOGIN in on:
            frame = b"\0" + self.registry.register(name, SCHEMA).to_bytes(4, "big")
        else:
            return (*RECORDS, LARGE) if Feature.S3_OVERSIZE_ROWS in on else RECORDS
        return [frame + _avro(1), b"bad", frame + _avro(2)]

    def _login(self, name: str, key: str | None) -> str:
        text = json.dumps(dict(zip(("username", "password"), LOGIN, strict=True)))
        return self._kept(f"{name}-registry", text, key)

    def _reader(self, access: EngineAccess) -> object:
        if access.registering:
            return {"fan_out": {"registration": "lazy"}}
        return {"fan_out": {"consumer_arn": access.consumers[0]}} if access.consumers else "polling"

    def _letters(self, access: EngineAccess, name: str) -> dict[str, str | None]:
        if access.letters_folder:
            return {"folder": None, "s3": f"s3://{name}/{access.letters_folder}"}
        return {"folder": None, "stream": f"{name}-letters"} if access.letters_stream else {"folder": str(self.folder)}

    @contextmanager
    def acting_as(self, key: str, statements: list[Statement] | None = None) -> Iterator[None]:
        """AWS clients made inside sign with this access key; with statements, it may do what they allow and no more."""
        if statements is not None:
            principal = f"arn:aws:iam::{self.environment.endpoints.aws_account}:user/{key}"
            enforce_statements(self.environment, key, principal=principal, statements=statements)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", key)
            yield

    def accesses_by(self, key: str) -> list[Access]:
        seen = calls_of(self.environment)
        assert seen.dropped == 0
        return [access for call in seen.calls if call.access_key == key for access in call.accesses]

    def _table(self, name: str) -> None:
        role = self.environment.logins["ingest"].role
        columns = "KINESISMETADATA OBJECT, N NUMBER"
        self.environment.query(f"CREATE TABLE FIRNLINE.RAW.{name} ({columns}) ERROR_LOGGING = TRUE", login="admin")
        self.environment.query(f"GRANT INSERT ON TABLE FIRNLINE.RAW.{name} TO ROLE {role}", login="admin")

    def _way_for_files(self, name: str) -> None:
        """Makes the way as `file_replay` makes it."""
        role, table = self.environment.logins["ingest"].role, f"FIRNLINE.RAW.{name}"
        place = f"{table}_DEAD_LETTERS"
        for statement in (
            f"CREATE STAGE {place}",
            f"CREATE PIPE {place} AS COPY INTO {table} FROM @{place} FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) "
            "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE",
            f"GRANT READ, WRITE ON STAGE {place} TO ROLE {role}",
            f"GRANT OPERATE, MONITOR ON PIPE {place} TO ROLE {role}",
            f"GRANT SELECT ON TABLE {table} TO ROLE {role}",
        ):
            self.environment.query(statement, login="admin")

    def _stream(self, name: str, key: str | None, records: Sequence[bytes]) -> None:
        kinesis = self.client("kinesis")
        made_active(kinesis, name)
        if key:
            kinesis.start_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId=key)
        self.environment.put_events(name, records)

    def _consumer(self, name: str) -> str:
        kinesis = self.client("kinesis")
        stream = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["StreamARN"]
        arn: str = kinesis.register_stream_consumer(StreamARN=stream, ConsumerName=name)["Consumer"]["ConsumerARN"]
        return arn

    def _ledger(self, name: str, key: str | None) -> None:
        encryption = {"SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}} if key else {}
        self.client("dynamodb").create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in KEY_SCHEMA],
            KeySchema=[{"AttributeName": each, "KeyType": kind} for each, kind in KEY_SCHEMA.items()],
            **encryption,
        )

    def _secret(self, name: str, key: str | None) -> str:
        return self._kept(name, self.environment.logins["ingest"].private_key_file.read_text(), key)

    def _kept(self, name: str, text: str, key: str | None) -> str:
        encryption = {"KmsKeyId": key} if key else {}
        arn: str = self.client("secretsmanager").create_secret(Name=name, SecretString=text, **encryption)["ARN"]
        return arn

    def _bucket(self, name: str, key: str | None) -> None:
        s3 = self.client("s3")
        s3.create_bucket(Bucket=name)
        if key:
            default = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}}
            s3.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration={"Rules": [default]})
        s3.put_object(Bucket=name, Key="configuration/engine.json", Body=b"{}")


def _avro(n: int) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, SCHEMA, {"n": n})
    return file.getvalue()
