"""A resource of every kind, for a stack that is a list of them: those of AWS as their rows' tests have them."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_local.providers.clients import Clients
from tests.local.providers.aws.cases import ACCOUNT, CASES

from .kinds_of_snowflake import KINDS as OF_SNOWFLAKE
from .kinds_of_snowflake import prepare

NEVER_UPDATED = {
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": "is its user and its policy",
    "snowflake:index/grantAccountRole:GrantAccountRole": "is its role and its user",
    "snowflake:index/grantOwnership:GrantOwnership": "every input replaces it",
}
"""Kinds that can't be killed while they are updated, and why."""
Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    type: str
    inputs: Inputs
    change: Inputs
    """What an update can reach; empty where there is nothing that only an update changes."""


def kinds(clients: Clients) -> Iterator[Kind]:
    """Makes what they need first."""
    seen = set()
    for case in CASES:
        if case.kind.type not in seen:
            seen.add(case.kind.type)
            inputs = case.inputs(clients)
            change = dict([each for each in case.changes.items() if each[0] != "name"][:1])
            change |= CHANGES.get(case.kind.type, _none)(inputs, clients)
            yield Kind(case.kind.type, _here(inputs, clients), _here(change, clients))
    prepare(clients)
    for type_, (inputs, change) in OF_SNOWFLAKE.items():
        yield Kind(f"snowflake:index/{type_}", inputs, change)


def _none(_inputs: Inputs, _clients: Clients) -> Inputs:
    return {}


def _another_key(_inputs: Inputs, clients: Clients) -> Inputs:
    return {"targetKeyId": clients.aws("kms").create_key()["KeyMetadata"]["Arn"]}


def _another_action(inputs: Inputs, _clients: Clients) -> Inputs:
    return {"policy": inputs["policy"].replace("s3:GetObject", "s3:PutObject")}


CHANGES: Mapping[str, Callable[[Inputs, Clients], Inputs]] = {
    "aws:kms/alias:Alias": _another_key,
    "aws:s3/bucketPolicy:BucketPolicy": _another_action,
}
"""Those that follow from what a resource is put on, and so are in no case."""


def _here(inputs: Inputs, clients: Clients) -> Inputs:
    """In the account of the environment, which is another than that of the rows' tests."""
    moved: Inputs = json.loads(json.dumps(inputs).replace(ACCOUNT, clients.account))
    return moved
