"""The policy pack under the real engine: prod as it is registered breaks no rule, and each change is found by its rule."""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.infra.pulumi.conftest import deployed
from tests.pulumi.test_kinds_of_resources import PREVIEW_FEATURES
from tests.pulumi.trial_project import STACK, TrialProject

pytestmark = [pytest.mark.pulumi, pytest.mark.slow]
PACK = Path(__file__).parents[2] / "stacks" / "policy"
PROGRAM = """
import json, pathlib
import pulumi

aws = pulumi.ProviderResource("aws", "aws", {})
snowflake = pulumi.ProviderResource("snowflake", "snowflake", {"previewFeaturesEnabled": FEATURES})
for each in json.loads(pathlib.Path("resources.json").read_text()):
    provider = aws if each["type"].startswith("aws:") else snowflake
    opts = pulumi.ResourceOptions(provider=provider, protect=each["protect"])
    pulumi.CustomResource(each["type"], each["name"], each["inputs"], opts)
""".replace("FEATURES", repr(PREVIEW_FEATURES))
ROLE, CLICKS, LEDGER = "engine-role-role", "stream-clicks-stream", "ledger-table"
ANYBODY = {"Effect": "Allow", "Action": "s3:GetObject", "Principal": "*", "Resource": "arn:aws:s3:::firnline-prod/a"}
EVERYTHING = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}
BREAKING: dict[str, tuple[str, Mapping[str, Any]]] = {
    "wildcard-action": ("engine-role-policy", {"policy": json.dumps({"Statement": [EVERYTHING]})}),
    "wildcard-resource": ("engine-role-policy", {}),
    "wildcard-principal": ("bucket-policy", {"policy": json.dumps({"Statement": [ANYBODY]})}),
    "tls": ("bucket-bucket", {}),
    "permissions-boundary": (ROLE, {"permissionsBoundary": None}),
    "public-bucket": ("bucket-bucket", {"forceDestroy": True}),
    "protection": ("bucket-bucket", {}),
    "encryption": (CLICKS, {"encryptionType": "NONE", "kmsKeyId": None, "retentionPeriod": 24, "tags": {}}),
    "own-key": (CLICKS, {}),
    "retention": (CLICKS, {}),
    "tags": (CLICKS, {}),
    "point-in-time-recovery": (LEDGER, {"pointInTimeRecovery": {"enabled": False}}),
    "open-network": ("landing-network-policy", {"allowedIpLists": ["0.0.0.0/0"]}),
    "snowflake-ownership": ("landing-ownership-table-FIRNLINE_PROD.RAW.ORDERS", {"accountRoleName": "SYSADMIN"}),
    "snowflake-key-pair": ("landing-authentication-policy", {"authenticationMethods": ["ALL"]}),
}
BESIDE = {"bucket-public-access": {"blockPublicPolicy": False}}


def test_the_pack_finds_each_violation_and_none_in_prod(embedded_project: TrialProject) -> None:
    registered = [
        {"type": each.type, "name": each.name, "inputs": dict(each.inputs), "protect": each.protect}
        for each in deployed("prod").made
        if each.type != "aws:s3/bucketObjectv2:BucketObjectv2"
    ]
    embedded_project.write(PROGRAM)
    found = violations(embedded_project, registered)
    assert found == {}

    changes = {name: change for name, change in BREAKING.values() if change} | BESIDE
    assert {each["name"] for each in registered} >= set(changes)
    for each in registered:
        inputs = {**each["inputs"], **changes.get(each["name"], {})}
        each["inputs"] = {name: value for name, value in inputs.items() if value is not None}
    assert violations(embedded_project, registered) == {rule: {name} for rule, (name, _) in BREAKING.items()}


def violations(project: TrialProject, resources: list[dict[str, Any]]) -> dict[str, set[str]]:
    (project.folder / "resources.json").write_text(json.dumps(resources))
    command = project.cli.arguments("preview", "--policy-pack", str(PACK), "--stack", STACK)
    ended = subprocess.run(command, env=project.cli.variables, capture_output=True, text=True, timeout=240, check=False)
    found: dict[str, set[str]] = {}
    for rule, name in re.findall(r"- \[mandatory\].*?\]  (\S+)  \(.*: (.+)\)$", ended.stdout, re.MULTILINE):
        found.setdefault(rule, set()).add(name)
    assert (ended.returncode != 0) == bool(found), ended.stdout + ended.stderr
    assert "firnline@v" in ended.stdout, "the pack was not asked"
    return found
