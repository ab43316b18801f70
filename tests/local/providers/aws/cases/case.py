"""A case, and what the cases of every service begin with."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from firnline_local.providers.aws import iam, kms, s3, streams
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Kind

ACCOUNT = "123456789012"
_numbers = count()


def fresh(what: str) -> str:
    return f"kind-{what}-{next(_numbers)}"


def policy(action: str, **more: Any) -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*", **more}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, indent=2)


def trust(service: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": [service]}, "Action": "sts:AssumeRole"}
    return json.dumps({"Statement": [statement], "Version": "2012-10-17"})


def key_policy(*actions: str) -> str:
    return policy("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, Sid="-".join(actions) or "all")


Behind = Callable[[Clients, str], object]
"""Changes the resource with a client: (clients, id)."""


@dataclass(frozen=True, kw_only=True)
class Case:
    kind: Kind
    inputs: Callable[[Clients], dict[str, Any]]
    taken: str | None
    """The service's error for a second one of that name; None where it takes a second request for the first one."""
    behind: Mapping[str, Behind] = field(default_factory=dict)
    """By the property that then differs."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """New values that an update can reach, by property."""
    imported_as: Callable[[Mapping[str, Any]], str] = lambda properties: str(properties["id"])
    """The id by which it is imported, of its properties."""
    is_absent_after: bool = True
    """False for what can't be removed."""

    def __str__(self) -> str:
        return self.kind.type.partition("/")[2].partition(":")[2]


def a_role(clients: Clients) -> str:
    return iam.ROLE.create({"name": fresh("role"), "assumeRolePolicy": trust("ec2.amazonaws.com")}, clients).id


def arn_of_a_role(clients: Clients) -> str:
    inputs = {"name": fresh("role"), "assumeRolePolicy": trust("pods.eks.amazonaws.com")}
    return str(iam.ROLE.create(inputs, clients).properties["arn"])


def a_user(clients: Clients) -> str:
    return iam.USER.create({"name": fresh("user")}, clients).id


def a_policy(clients: Clients) -> str:
    return iam.POLICY.create({"name": fresh("policy"), "policy": policy("kinesis:GetRecords")}, clients).id


def a_bucket(clients: Clients) -> str:
    return s3.BUCKET.create({"bucket": fresh("bucket")}, clients).id


def a_key(clients: Clients) -> str:
    return str(kms.KEY.create({}, clients).properties["arn"])


def a_stream(clients: Clients) -> str:
    return streams.STREAM.create({"name": fresh("stream"), "shardCount": 1}, clients).id
