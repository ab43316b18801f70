"""Finds objects that `up` would create and that exist already, though they are not in the stack's state.

Asked before an `up`, because the cloud would refuse one object at a time, with half an environment made.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint import Blueprint
from firnline_infra.specification.identifier import QualifiedName
from firnline_infra.specification.origin import Origin

State = Mapping[str, Any]
STREAM, DYNAMODB, BUCKET = "aws:kinesis/stream:Stream", "aws:dynamodb/table:Table", "aws:s3/bucket:Bucket"
TABLES = ("snowflake:index/table:Table", "snowflake:index/icebergTable:IcebergTable")
EXECUTE = "snowflake:index/execute:Execute"
NOT_THERE = {"ResourceNotFoundException", "404", "NoSuchBucket", "NotFound"}
FORBIDDEN = {"403", "Forbidden"}


def already_there(blueprint: Blueprint, accounts: Accounts, session: Any, state: State) -> Iterator[str]:
    """A description of each object. Raises AwsRefused or SnowflakeRefused if AWS or Snowflake can't be asked."""
    known = StackResources.of(state)
    yield from _existing_in_aws(blueprint, accounts, known)
    for table in blueprint.landing.tables:
        if not known.has_table(table.name) and rows_if_there(session, f"DESCRIBE TABLE {table.name.sql}"):
            yield f"table {table.name} in Snowflake"


@dataclass(frozen=True)
class StackResources:
    """The resources in a stack's state, and those that a killed `up` was creating."""

    resources: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, state: State) -> "StackResources":
        deployment = state.get("deployment", {})
        begun = [operation["resource"] for operation in deployment.get("pending_operations") or ()]
        return cls((*(deployment.get("resources") or ()), *begun))

    def has(self, type_: str, name: str) -> bool:
        return any(name in (each.get("name"), each.get("bucket")) for each in self._inputs_of(type_))

    def has_table(self, name: QualifiedName) -> bool:
        """Whether a resource of its own made the table, or a statement that creates it.

        A statement that only alters it outlives a table that went to another owner, and doesn't count.
        """
        parts = tuple(part.name for part in name.parts)
        made = [each for type_ in TABLES for each in self._inputs_of(type_)]
        if any((each.get("database"), each.get("schema"), each.get("name")) == parts for each in made):
            return True
        executed = (str(each.get("execute")) for each in self._inputs_of(EXECUTE))
        return any(statement.startswith("CREATE ") and f" {name.sql} " in statement for statement in executed)

    def _inputs_of(self, type_: str) -> Iterator[Mapping[str, Any]]:
        for resource in self.resources:
            if resource["type"] == type_:
                yield {**resource.get("outputs", {}), **resource.get("inputs", {})}


def _existing_in_aws(blueprint: Blueprint, accounts: Accounts, known: StackResources) -> Iterator[str]:
    streams = [stream.name for stream in blueprint.streams if stream.origin is Origin.CREATE]
    ledgers = [blueprint.ledger.name, *([blueprint.ledger.migration_name] if blueprint.ledger.migration else [])]
    buckets = [bucket.name for bucket in (blueprint.bucket, *(each.bucket for each in blueprint.volumes)) if bucket]
    kinesis, dynamodb, s3 = (accounts.aws(service) for service in ("kinesis", "dynamodb", "s3"))
    asked: list[tuple[str, str, list[str], Callable[[str], Any]]] = [
        (STREAM, "stream", streams, lambda name: kinesis.describe_stream_summary(StreamName=name)),
        (DYNAMODB, "DynamoDB table", ledgers, lambda name: dynamodb.describe_table(TableName=name)),
        (BUCKET, "bucket", buckets, lambda name: s3.head_bucket(Bucket=name)),
    ]
    for type_, kind, names, describe in asked:
        for name in names:
            if not known.has(type_, name) and (found := _existing(kind, name, describe)):
                yield found


def _existing(kind: str, name: str, describe: Callable[[str], Any]) -> str | None:
    from botocore.exceptions import ClientError

    with aws_call(f"looking for {kind}", name):
        try:
            describe(name)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in NOT_THERE:
                return None
            if code in FORBIDDEN and kind == "bucket":
                return f"bucket {name}, in somebody else's account: bucket names are globally unique"
            raise
    return f"{kind} {name}"
