"""Common parts of EMR's runs: where they run, the token of a start, and logs that the service has brought to S3."""

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from firnline_infra.runtimes.aws import bucket_and_key, call
from firnline_infra.runtimes.errors import PlaceMissing, RuntimeUnavailable
from firnline_infra.runtimes.spark_conf import token_of


def only_place(what: str, found: Sequence[str], environment: str) -> str:
    """The id of the one place that the stack has made, of all that have its name. Raises PlaceMissing."""
    if len(found) != 1:
        raise PlaceMissing(what, found, environment)
    return str(found[0])


def log_uri(found: Mapping[str, Any] | None) -> str | None:
    """The folder that a run's logs go to, without a slash at its end; None where they go to none."""
    monitoring = (found or {}).get("configurationOverrides", {}).get("monitoringConfiguration", {})
    uri = monitoring.get("s3MonitoringConfiguration", {}).get("logUri")
    return None if uri is None else str(uri).rstrip("/")


def start_token(found: Mapping[str, Any]) -> str:
    """The token of a run's start, from its settings as the service describes them; empty where it has none."""
    overrides = found.get("configurationOverrides", {}).get("applicationConfiguration", ())
    return token_of({name: value for each in overrides for name, value in each.get("properties", {}).items()})


def described(found: Mapping[str, Any] | None, action: str, run_id: str) -> Mapping[str, Any]:
    """The description of a run that the service lists as active. Raises RuntimeUnavailable if the service says at the same
    time that there is none: if that were believed, another one would be started beside it."""
    if found is None:
        raise RuntimeUnavailable(action, run_id, "the service lists it, and knows no such run")
    return found


def lines_below(s3: Any, uri: str, wanted: Callable[[list[str]], list[str]]) -> Iterator[str]:
    """The lines of the objects below `uri` that `wanted` chooses among the keys, in its order; gzip or plain."""
    bucket, prefix = bucket_and_key(uri)
    with call("s3:ListBucket", uri):
        listed = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        keys = [each["Key"] for page in listed for each in page.get("Contents", ())]
    for key in wanted(sorted(keys)):
        with call("s3:GetObject", f"s3://{bucket}/{key}"):
            content: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        text = gzip.decompress(content) if key.endswith(".gz") else content
        yield from text.decode(errors="replace").splitlines()
