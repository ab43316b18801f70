"""Requests whose answers are believed, of S3, Kinesis, DynamoDB and EMR Serverless. What counts: the code, the HTTP status, the
states that an object goes through.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tests.live.names import Run
from tests.live.questions import aws_stories, emr_runs
from tests.live.recordings import anonymous

Client = Callable[[str], Any]
EMR_RELEASE = "emr-spark-8.0.0"
POLL_S = 0.5
MOST_POLLS = 240
NUMBER = re.compile(r"\b(?:\d{12}|00[0-9a-f]{14})\b")
"""Of an account, of an application."""

S3 = ("put if none is there", "put if none is there, again", "a wrong CRC32", "a wrong Content-MD5", "head of nothing")
KINESIS = ("an empty page", "digits of a sequence number", "a stream that is missing", "a shard that is missing")
SETTLES: dict[str, tuple[str, ...]] = {
    **{f"s3: {each}": ("B94",) for each in (*S3, "get of nothing", "delete of nothing")},
    **{f"kinesis: {each}": ("B84",) for each in (*KINESIS, "a sequence number of another", "no iterator of ours")},
    **{
        f"dynamodb: {each}": ("B95",)
        for each in ("put", "a condition that fails", "a key that is not a key", "no table")
    },
    **{
        f"emr: {each}": ("B132",)
        for each in (
            *("states until it is made", "states until it is started", "delete while it is started"),
            *("states until it is stopped", "no run", "get after delete"),
        )
    },
    **aws_stories.SETTLES,
    **emr_runs.SETTLES,
}


def asked(aws: Client, run: Run, region: str) -> dict[str, Any]:
    """Each answer by its question. What was made stays for the sweep, but for what a question removes itself."""
    return {
        **dict(_s3(aws("s3"), run, region)),
        **dict(_kinesis(aws("kinesis"), run)),
        **dict(_dynamodb(aws("dynamodb"), run)),
        **dict(_emr(aws("emr-serverless"), run)),
        **dict(aws_stories.asked(aws, run)),
        **dict(emr_runs.asked(aws, run, EMR_RELEASE)),
    }


def _s3(s3: Any, run: Run, region: str) -> Iterator[tuple[str, Any]]:
    bucket = f"{run.aws}-asked"
    where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    with _kept_if_there("BucketAlreadyOwnedByYou"):
        s3.create_bucket(Bucket=bucket, **where)
    key = {"Bucket": bucket, "Key": "folder/object"}
    yield "s3: put if none is there", _said(lambda: s3.put_object(**key, Body=b"a", IfNoneMatch="*"), run)
    yield "s3: put if none is there, again", _said(lambda: s3.put_object(**key, Body=b"b", IfNoneMatch="*"), run)
    wrong = {**key, "Body": b"a", "ChecksumCRC32": "AAAAAA=="}
    yield "s3: a wrong CRC32", _said(lambda: s3.put_object(**wrong), run)
    yield (
        "s3: a wrong Content-MD5",
        _said(lambda: s3.put_object(**key, Body=b"a", ContentMD5="AAAAAAAAAAAAAAAAAAAAAA=="), run),
    )
    yield "s3: head of nothing", _said(lambda: s3.head_object(Bucket=bucket, Key="nothing"), run)
    yield "s3: get of nothing", _said(lambda: s3.get_object(Bucket=bucket, Key="nothing"), run)
    yield "s3: delete of nothing", _said(lambda: s3.delete_object(Bucket=bucket, Key="nothing"), run)


def _kinesis(kinesis: Any, run: Run) -> Iterator[tuple[str, Any]]:
    name = f"{run.aws}-asked"
    with _kept_if_there("ResourceInUseException"):
        kinesis.create_stream(StreamName=name, ShardCount=1)
    kinesis.get_waiter("stream_exists").wait(StreamName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    shard = {"StreamName": name, "ShardId": "shardId-000000000000"}
    iterator = kinesis.get_shard_iterator(**shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    answer = kinesis.get_records(ShardIterator=iterator)
    yield "kinesis: an empty page", {"fields": sorted(set(answer) - {"ResponseMetadata"})}
    put = kinesis.put_record(StreamName=name, Data=b"{}", PartitionKey="a")
    yield "kinesis: digits of a sequence number", len(put["SequenceNumber"])
    for what, request in (
        ("a stream that is missing", {**shard, "StreamName": f"{name}-missing", "ShardIteratorType": "LATEST"}),
        ("a shard that is missing", {**shard, "ShardId": "shardId-000000000009", "ShardIteratorType": "LATEST"}),
        (
            "a sequence number of another",
            {**shard, "ShardIteratorType": "AT_SEQUENCE_NUMBER", "StartingSequenceNumber": "1"},
        ),
    ):
        yield f"kinesis: {what}", _said(partial(kinesis.get_shard_iterator, **request), run)
    yield "kinesis: no iterator of ours", _said(lambda: kinesis.get_records(ShardIterator="AAAA"), run)


def _dynamodb(dynamodb: Any, run: Run) -> Iterator[tuple[str, Any]]:
    name = f"{run.aws}-asked"
    with _kept_if_there("ResourceInUseException"):
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        )
    dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    item = {"TableName": name, "Item": {"k": {"S": "a"}}}
    yield "dynamodb: put", _said(lambda: dynamodb.put_item(**item), run)
    unless = {**item, "ConditionExpression": "attribute_not_exists(k)"}
    yield "dynamodb: a condition that fails", _said(lambda: dynamodb.put_item(**unless), run)
    yield (
        "dynamodb: a key that is not a key",
        _said(lambda: dynamodb.get_item(TableName=name, Key={"x": {"S": "a"}}), run),
    )
    yield "dynamodb: no table", _said(lambda: dynamodb.describe_table(TableName=f"{name}-missing"), run)


def _emr(emr: Any, run: Run) -> Iterator[tuple[str, Any]]:
    name = f"{run.aws}-asked"
    made = emr.create_application(name=name, releaseLabel=EMR_RELEASE, type="SPARK", clientToken=name)
    application = made["applicationId"]
    yield "emr: states until it is made", _states(emr, application, "CREATED")
    emr.start_application(applicationId=application)
    yield "emr: states until it is started", _states(emr, application, "STARTED")
    yield "emr: delete while it is started", _said(lambda: emr.delete_application(applicationId=application), run)
    emr.stop_application(applicationId=application)
    yield "emr: states until it is stopped", _states(emr, application, "STOPPED")
    yield "emr: no run", _said(lambda: emr.get_job_run(applicationId=application, jobRunId="00000000000000"), run)
    emr.delete_application(applicationId=application)
    yield "emr: get after delete", emr.get_application(applicationId=application)["application"]["state"]


def _states(emr: Any, application: str, until: str) -> list[str]:
    """Returns which it was seen in lies at the moments it was asked: the last one is what counts, and that nothing odd
    came between.
    """
    for _ in range(MOST_POLLS):
        state = emr.get_application(applicationId=application)["application"]["state"]
        if state in (until, "TERMINATED"):
            return [state]
        time.sleep(POLL_S)
    return [state]


def _said(call: Callable[[], Any], run: Run) -> dict[str, Any]:
    from botocore.exceptions import ClientError

    try:
        return {"status": call()["ResponseMetadata"]["HTTPStatusCode"]}
    except ClientError as error:
        said, status = error.response["Error"], error.response["ResponseMetadata"]["HTTPStatusCode"]
        return {
            "status": status,
            "code": said["Code"],
            "text": NUMBER.sub("<number>", anonymous(said.get("Message", ""), run.placeholders({}))),
        }


@contextmanager
def _kept_if_there(code: str) -> Iterator[None]:
    from botocore.exceptions import ClientError

    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] != code:
            raise
