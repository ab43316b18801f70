"""Reading of a stream by the embedded Redshift: as a role, if it may, from where the last refresh of a view ended.

Whatever is taken from the role, its trust or its policy is named in the error, once a view needs it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from firnline_local.aws.policy import is_allowed, names, statements_of, statements_of_role
from firnline_local.runtimes.redshift.statements import StatementError

READING = ("DescribeStreamSummary", "GetShardIterator", "GetRecords", "DescribeStream")
LISTING = ("ListStreams", "ListShards")
PAGE = 1000
Client = Callable[[str], Any]
"""Of a service of the embedded AWS."""


@dataclass(frozen=True, kw_only=True)
class StreamReader:
    """The reader of a stream: what a schema names, and what may use it."""

    role_arn: str
    service: str
    """redshift.amazonaws.com, or that of Redshift Serverless."""
    place: str
    """Of its database users' ARNs: the cluster's name, or serverless-<account>-<workgroup's id>."""
    account: str
    region: str
    user: str
    """Of the database."""


@dataclass(frozen=True, slots=True)
class ScannedRecord:
    shard_id: str
    sequence_number: str
    partition_key: str
    arrived: datetime
    data: bytes

    @property
    def text(self) -> str | None:
        """Returns None for bytes that are not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None

    @property
    def is_json(self) -> bool:
        """True for JSON by RFC 8259: no NaN, and nothing but white space around one value."""
        text = self.text
        try:
            return text is not None and (json.loads(text, parse_constant=_not_json), True)[1]
        except (ValueError, RecursionError):
            return False


def check_access(source: StreamReader, stream: str, client: Client) -> None:
    """Raises StatementError for the first thing that stands in the way."""
    for sentence in _refusals(source, stream, client):
        raise StatementError(sentence)


def scan(stream: str, after: Mapping[str, str], client: Client) -> Iterator[ScannedRecord]:
    """Yields what came after the sequence numbers, by shard; all that the stream still has of a shard that has none."""
    kinesis = client("kinesis")
    for shard in kinesis.list_shards(StreamName=stream)["Shards"]:
        id_ = shard["ShardId"]
        start = {"ShardIteratorType": "TRIM_HORIZON"}
        if id_ in after:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": after[id_]}
        iterator = kinesis.get_shard_iterator(StreamName=stream, ShardId=id_, **start)["ShardIterator"]
        while iterator:
            page = kinesis.get_records(ShardIterator=iterator, Limit=PAGE)
            yield from (_scanned(id_, record) for record in page["Records"])
            iterator = page.get("NextShardIterator") if page.get("MillisBehindLatest") or page["Records"] else None


def _scanned(shard_id: str, record: Mapping[str, Any]) -> ScannedRecord:
    arrived = record["ApproximateArrivalTimestamp"].astimezone(UTC).replace(tzinfo=None)
    return ScannedRecord(shard_id, record["SequenceNumber"], record["PartitionKey"], arrived, record["Data"])


def _refusals(source: StreamReader, stream: str, client: Client) -> Iterator[str]:
    iam, role = client("iam"), source.role_arn.rpartition("/")[2]
    try:
        found = iam.get_role(RoleName=role)["Role"]
    except iam.exceptions.NoSuchEntityException:
        yield f"Not authorized to get credentials of role {source.role_arn}"
        return
    trust = [each for each in statements_of(found["AssumeRolePolicyDocument"]) if names(each, {source.service})]
    user = f"arn:aws:redshift:{source.region}:{source.account}:dbuser:{source.place}/{source.user}"
    context = {"sts:ExternalId": user}  # Management Guide, "Restricting access to IAM roles"; of no other key it speaks
    if not is_allowed(trust, "sts:AssumeRole", source.role_arn, context):
        yield f"Not authorized to get credentials of role {source.role_arn}"
        return
    granted = statements_of_role(iam, role)
    arn = f"arn:aws:kinesis:{source.region}:{source.account}:stream/{stream}"
    needed = [(f"kinesis:{each}", arn) for each in READING] + [(f"kinesis:{each}", "*") for each in LISTING]
    key = _key_of(stream, client)
    for action, resource in [*needed, *([("kms:Decrypt", key)] if key else [])]:
        if not is_allowed(granted, action, resource, {"kms:ViaService": f"kinesis.{source.region}.amazonaws.com"}):
            yield f"User: {source.role_arn} is not authorized to perform: {action} on resource: {resource}"


def _key_of(stream: str, client: Client) -> str | None:
    """The customer's key that encrypts a stream. Raises StatementError for a stream that is not there."""
    kinesis = client("kinesis")
    try:
        summary = kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]
    except kinesis.exceptions.ResourceNotFoundException:
        raise StatementError(f"Kinesis stream {stream} was not found.") from None
    key = str(summary.get("KeyId") or "")
    if not key or key.startswith("alias/aws/"):
        return None
    return key if key.startswith("arn:") else str(client("kms").describe_key(KeyId=key)["KeyMetadata"]["Arn"])


def _not_json(word: str) -> None:
    raise ValueError(word)
