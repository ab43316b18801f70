"""Questions to AWS about a stream that is being made, made anew or read fast, about consumers, absent principals, and a
request that its model refuses.
"""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.live.names import Run

Client = Callable[[str], Any]
MEGABYTE = 1_000_000
PAID_OFF_S = 2.0
POLL_S, GONE_WITHIN_S = 1.0, 120.0
SETTLES: dict[str, tuple[str, ...]] = {
    "kinesis: a stream that is being made": ("B500",),
    "kinesis: the policy of a new stream": ("B98",),
    "kinesis: a stream that was made anew": ("B96",),
    "kinesis: a page of more than 2 MiB, and the next at once": ("B80",),
    "kinesis: a consumer as soon as it is registered": ("B474",),
    "kinesis: a consumer of a name that is taken": ("B474",),
    "kinesis: a Limit that the model refuses": ("B84", "B482"),
    "iam: a principal that is not there": ("B86",),
    "kms: a policy that locks its writer out": ("B86",),
    "sts: a name that is too long": ("B482",),
    "logs: a name that is too long": ("B482",),
    "cloudwatch: a name that is too long": ("B482",),
    "dynamodb: a name that is too long": ("B482",),
    **{
        f"{service}: a name that is too long": ("B482",)
        for service in ("secretsmanager", "events", "iam", "kms", "scheduler", "ssm")
    },
    **{f"{service}: a page that is too long": ("B482",) for service in ("ecr", "eks")},
}


def asked(aws: Client, run: Run) -> Iterator[tuple[str, Any]]:
    yield from _stream(aws("kinesis"), f"{run.aws}-asked-anew")
    yield from _principals(aws, run)
    yield from _malformed(aws, run)


def _stream(kinesis: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield "kinesis: a stream that is being made", _while_made(kinesis, name)
    first = _begins(kinesis, name)
    arn = _summary(kinesis, name)["StreamARN"]
    yield "kinesis: the policy of a new stream", kinesis.get_resource_policy(ResourceARN=arn).get("Policy")
    yield from _pages(kinesis, name)
    consumer = {"StreamARN": arn, "ConsumerName": "asked"}
    kinesis.register_stream_consumer(**consumer)
    listed = [each["ConsumerName"] for each in kinesis.list_stream_consumers(StreamARN=arn)["Consumers"]]
    yield "kinesis: a consumer as soon as it is registered", {"listed": listed}
    yield "kinesis: a consumer of a name that is taken", _code(partial(kinesis.register_stream_consumer, **consumer))
    kinesis.delete_stream(StreamName=name, EnforceConsumerDeletion=True)
    _gone(kinesis, name)
    kinesis.create_stream(StreamName=name, ShardCount=1)
    yield "kinesis: a stream that was made anew", {"begins elsewhere": _begins(kinesis, name) != first}


def _while_made(kinesis: Any, name: str) -> dict[str, Any]:
    """Returns answers about a stream that is CREATING still when they are there. Where it was made sooner, it is made again for
    those that are left; they stay away where that takes too long.
    """
    shard = {"StreamName": name, "ShardId": "shardId-000000000000", "ShardIteratorType": "LATEST"}
    left: dict[str, Callable[[], Any]] = {
        "open shards": lambda: _summary(kinesis, name)["OpenShardCount"],
        "ListShards": lambda: _code(partial(kinesis.list_shards, StreamName=name)),
        "PutRecord": lambda: _code(partial(kinesis.put_record, StreamName=name, Data=b"{}", PartitionKey="a")),
        "GetShardIterator": lambda: _code(partial(kinesis.get_shard_iterator, **shard)),
    }
    answers, ends = dict[str, Any](), time.monotonic() + GONE_WITHIN_S
    while True:
        kinesis.create_stream(StreamName=name, ShardCount=1)
        while left:
            about = next(iter(left))
            answer = left[about]()
            if _summary(kinesis, name)["StreamStatus"] != "CREATING":
                break
            answers[about] = answer
            del left[about]
        if not left or time.monotonic() > ends:
            return answers
        kinesis.delete_stream(StreamName=name)
        _gone(kinesis, name)


def _summary(kinesis: Any, name: str) -> Any:
    return kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]


def _gone(kinesis: Any, name: str) -> None:
    ends = time.monotonic() + GONE_WITHIN_S
    while _code(partial(kinesis.describe_stream_summary, StreamName=name)) == 200 and time.monotonic() < ends:
        time.sleep(POLL_S)


def _begins(kinesis: Any, name: str) -> str:
    kinesis.get_waiter("stream_exists").wait(StreamName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    (shard,) = kinesis.list_shards(StreamName=name)["Shards"]
    begins: str = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    return begins


def _pages(kinesis: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Five records of a megabyte: more than the two that a shard gives in a second."""
    for number in range(5):
        _slowly(
            partial(
                kinesis.put_record, StreamName=name, Data=b"%d" % number * (MEGABYTE // 1), PartitionKey=str(number)
            )
        )
    shard = {"StreamName": name, "ShardId": "shardId-000000000000"}
    iterator = kinesis.get_shard_iterator(**shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    page = kinesis.get_records(ShardIterator=iterator)
    read_at = time.monotonic()
    codes = {_code(partial(kinesis.get_records, ShardIterator=page["NextShardIterator"])) for _ in range(3)}
    was_late = time.monotonic() - read_at > PAID_OFF_S  # a page of 5 MB is paid off by then: nothing is said
    is_refused = "ProvisionedThroughputExceededException" in codes or was_late
    yield (
        "kinesis: a page of more than 2 MiB, and the next at once",
        {"records": len(page["Records"]), "then one is refused": is_refused},
    )
    unbounded = _code(partial(kinesis.get_records, ShardIterator=iterator, Limit=20_000))
    yield "kinesis: a Limit that the model refuses", unbounded


def _slowly(call: Callable[[], Any]) -> None:
    """A shard takes a megabyte a second."""
    ends = time.monotonic() + GONE_WITHIN_S
    while _code(call) != 200 and time.monotonic() < ends:
        time.sleep(POLL_S)


def _principals(aws: Client, run: Run) -> Iterator[tuple[str, Any]]:
    account = aws("sts").get_caller_identity()["Account"]
    nobody = f"arn:aws:iam::{account}:role/{run.aws}-nobody"
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": nobody}}
    role = partial(
        aws("iam").create_role, RoleName=f"{run.aws}-asked-nobody", AssumeRolePolicyDocument=_document(trust)
    )
    yield "iam: a principal that is not there", _code(role)
    locked = {
        "Effect": "Allow",
        "Action": "kms:Decrypt",
        "Resource": "*",
        "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
    }
    tags = [{"TagKey": "firnline:application", "TagValue": run.aws}]
    key = partial(aws("kms").create_key, Description=run.aws, Tags=tags, Policy=_document(locked))
    yield "kms: a policy that locks its writer out", _code(key)


def _malformed(aws: Client, run: Run) -> Iterator[tuple[str, Any]]:
    long = "x" * 3000
    yield (
        "sts: a name that is too long",
        _code(
            partial(aws("sts").assume_role, RoleArn=f"arn:aws:iam::000000000000:role/{run.aws}", RoleSessionName=long)
        ),
    )
    yield "logs: a name that is too long", _code(partial(aws("logs").create_log_group, logGroupName=long))
    yield (
        "cloudwatch: a name that is too long",
        _code(partial(aws("cloudwatch").delete_alarms, AlarmNames=[long])),
    )
    yield "dynamodb: a name that is too long", _code(partial(aws("dynamodb").describe_table, TableName=long))
    yield (
        "secretsmanager: a name that is too long",
        _code(partial(aws("secretsmanager").describe_secret, SecretId=long)),
    )
    yield "ecr: a page that is too long", _code(partial(aws("ecr").describe_repositories, maxResults=1001))
    yield "eks: a page that is too long", _code(partial(aws("eks").list_clusters, maxResults=101))
    yield "events: a name that is too long", _code(partial(aws("events").describe_rule, Name=long))
    yield "iam: a name that is too long", _code(partial(aws("iam").get_role, RoleName=long))
    yield "kms: a name that is too long", _code(partial(aws("kms").describe_key, KeyId=long))
    yield "scheduler: a name that is too long", _code(partial(aws("scheduler").get_schedule, Name=long))
    yield "ssm: a name that is too long", _code(partial(aws("ssm").get_parameter, Name=long))


def _document(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _code(call: Callable[[], Any]) -> int | str:
    """200, or the service's code. botocore sends what is too long or too many as it is: the service is asked."""
    from botocore.exceptions import ClientError

    try:
        status: int = call()["ResponseMetadata"]["HTTPStatusCode"]
    except ClientError as error:
        code: str = error.response["Error"]["Code"]
        return code
    return status
