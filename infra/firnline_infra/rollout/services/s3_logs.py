"""Logs that a service has brought to S3, line by line."""

import gzip
from collections.abc import Callable, Iterator
from typing import Any

from firnline_infra.rollout.aws import bucket_and_key, call


def lines_below(s3: Any, uri: str, wanted: Callable[[list[str]], list[str]]) -> Iterator[str]:
    """Of the objects below `uri` that are wanted, in the order of their names; gzip or plain. `wanted` gets the keys, and gives
    back those to read.
    """
    bucket, prefix = bucket_and_key(uri)
    with call("s3:ListBucket", uri):
        listed = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        keys = [each["Key"] for page in listed for each in page.get("Contents", ())]
    for key in sorted(wanted(keys)):
        with call("s3:GetObject", f"s3://{bucket}/{key}"):
            content: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        text = gzip.decompress(content) if key.endswith(".gz") else content
        yield from text.decode(errors="replace").splitlines()
