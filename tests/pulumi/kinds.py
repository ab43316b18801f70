"""A resource of every kind, for a stack that is a list of them: those of AWS as their materialisers' tests have them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.local.materialise.clients import Clients

from ..infra.local.materialise.aws.cases import ACCOUNT, CASES  # noqa: TID252 (no path leads to tests but this one)

DATABASE = "KILLED"
PREPARED = (
    f"CREATE DATABASE {DATABASE}",
    f"CREATE SCHEMA {DATABASE}.S",
    f"CREATE TABLE {DATABASE}.S.T (V VARIANT)",
    "CREATE ROLE KILLED_R",
    "CREATE USER KILLED_U TYPE = SERVICE",
)
PREVIEW_FEATURES = [
    f"snowflake_{name}_resource" for name in ("authentication_policy", "pipe", "table", "user_authentication_policy_attachment")
]  # fmt: skip
COPY = f"COPY INTO {DATABASE}.S.T FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) MATCH_BY_COLUMN_NAME=CASE_SENSITIVE"
IN_SCHEMA = {"database": DATABASE, "schema": "S"}
OURS = {"comment": "killed"}
CHANGED = {"comment": "killed, and changed"}
SNOWFLAKE: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "database:Database": ({"name": "KILLED_D", **OURS}, CHANGED),
    "schema:Schema": ({"name": "KILLED_S", "database": DATABASE, **OURS}, CHANGED),
    "accountRole:AccountRole": ({"name": "KILLED_A", **OURS}, CHANGED),
    "serviceUser:ServiceUser": ({"name": "KILLED_SU", **OURS}, CHANGED),
    "networkPolicy:NetworkPolicy": ({"name": "KILLED_N", "allowedIpLists": ["127.0.0.1/32"], **OURS}, CHANGED),
    "authenticationPolicy:AuthenticationPolicy": (
        {"name": "KILLED_P", **IN_SCHEMA, "authenticationMethods": ["KEYPAIR"], **OURS},
        CHANGED,
    ),
    "table:Table": (
        {"name": "KILLED_T", **IN_SCHEMA, "columns": [{"name": "V", "type": "VARIANT", "nullable": True}], **OURS},
        CHANGED,
    ),
    "pipe:Pipe": ({"name": "KILLED_PIPE", **IN_SCHEMA, "copyStatement": COPY, **OURS}, CHANGED),
    "warehouse:Warehouse": ({"name": "KILLED_W", "warehouseSize": "XSMALL", **OURS}, CHANGED),
    "grantAccountRole:GrantAccountRole": ({"roleName": "KILLED_R", "userName": "KILLED_U"}, {}),
    "grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole": (
        {
            "accountRoleName": "KILLED_R",
            "privileges": ["USAGE"],
            "onAccountObject": {"objectType": "DATABASE", "objectName": DATABASE},
        },
        {"privileges": ["USAGE", "MONITOR"]},
    ),
}


@dataclass(frozen=True)
class Kind:
    type: str
    inputs: Mapping[str, Any]
    change: Mapping[str, Any]
    """What an update can reach; empty where there is nothing that only an update changes."""


def kinds(clients: Clients) -> Iterator[Kind]:
    """Makes what they need first."""
    seen = set()
    for case in CASES:
        if case.kind.TYPE not in seen:
            seen.add(case.kind.TYPE)
            inputs = case.inputs(clients)
            change = dict([each for each in case.changes.items() if each[0] != "name"][:1])
            yield Kind(case.kind.TYPE, _here(inputs, clients), _here(change, clients))
    clients.execute(*PREPARED)
    for type_, (inputs, change) in SNOWFLAKE.items():
        yield Kind(f"snowflake:index/{type_}", inputs, change)


def _here(inputs: dict[str, Any], clients: Clients) -> dict[str, Any]:
    """In the account of the environment, which is another than that of the materialisers' tests."""
    moved: dict[str, Any] = json.loads(json.dumps(inputs).replace(ACCOUNT, clients.account))
    return moved
