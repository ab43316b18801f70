"""The stack that an earlier version has made, under today's program: nothing of it is replaced, and nothing goes."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.specification import load_spec
from firnline_local.environment import LocalEnvironment
from tests.pulumi.environments import Trial
from tests.pulumi.recorded_state import FIXTURES, NAME, run

pytestmark = [pytest.mark.pulumi, pytest.mark.usefixtures("pulumi_binary"), pytest.mark.timeout(600)]

LANDING = "urn:pulumi:prod::firnline::firnline:index:SnowflakeLanding$snowflake:index/grantPrivilegesToAccountRole:"
GRANT = f"{LANDING}GrantPrivilegesToAccountRole::landing-grant-FIRNLINE_PROD_DEPLOY-user"
ALARM = "urn:pulumi:prod::firnline::firnline:index:IngestAlarms$aws:cloudwatch/metricAlarm:MetricAlarm::alarms-firnline-prod"
OF_STREAMS = ("dead-letters", "lag", "rejected-rows", "stopped", "throttled", "time-to-trim", "waiting")
OF_LEDGER = ("DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem")
CHANGED: dict[str, dict[str, str]] = {
    "0.1.0": {
        "urn:pulumi:prod::firnline::firnline:index:RuntimeRole$aws:iam/rolePolicy:RolePolicy::engine-role-policy": "update",
        "urn:pulumi:prod::firnline::firnline:index:OperationsDashboard$aws:cloudwatch/dashboard:Dashboard::dashboard": "update",
        f"{GRANT}-FIRNLINE_PROD_INGEST": "create",
        f"{GRANT}-FIRNLINE_PROD_READER": "create",
        **{f"{ALARM}-{stream}-{about}": "update" for stream in ("clicks", "orders", "prices") for about in OF_STREAMS},
        **{f"{ALARM}-ledger-{operation}-errors": "update" for operation in OF_LEDGER},
        f"{ALARM}-heartbeat": "update",
    }
}
"""What today's version makes anew or updates in a stack of that one, by URN, and which of both. The changelog says so, as
its *Preview impact*."""
RECORDED: dict[str, dict[str, Any]] = {
    version: json.loads((FIXTURES / version / "state.json").read_text(encoding="utf-8")) for version in CHANGED
}


@pytest.mark.parametrize("version", CHANGED)
def test_the_stack_of_an_earlier_version_stays_as_it_is(version: str, tmp_path: Path) -> None:
    with upgraded(version, tmp_path) as trial:
        steps = previewed(trial)
    assert steps.keys() >= {each["urn"] for each in resources_of(version)}
    assert {urn: op for urn, op in steps.items() if op != "same"} == CHANGED[version]


@pytest.mark.slow
def test_what_would_be_replaced_or_removed_is_seen(tmp_path: Path) -> None:
    """So that a preview which says nothing means something: the same stack under another specification."""
    with upgraded("0.1.0", tmp_path) as trial:
        text = trial.spec_file.read_text()
        trial.spec_file.write_text(text.replace("topics: [", "topics: [] # [").replace("/firnline/prod", "/elsewhere"))
        steps = {urn.rpartition("::")[2]: op for urn, op in previewed(trial).items()}
    assert (steps["alarms-firnline-prod-heartbeat"], steps["published-ledger-table"]) == ("delete", "replace")


@contextmanager
def upgraded(version: str, folder: Path) -> Iterator[Trial]:
    """The state that the version has left, in an embedded cloud where nothing was ever made: a preview without a refresh asks
    the providers what a difference means, and looks at nothing else.
    """
    for file in (FIXTURES / version).glob(f"{NAME}.*"):
        shutil.copyfile(file, folder / file.name)
    spec_file = folder / f"{NAME}.yaml"
    with LocalEnvironment(folder / "environment", load_spec(spec_file), is_provisioned=False) as environment:
        trial = Trial(spec_file, environment)
        trial.deployment.stack.init()
        state = folder / "state.json"
        state.write_text(importable(version, trial), encoding="utf-8")
        run(trial.cli, "stack", "import", "--file", str(state), "--stack", trial.stack)
        yield trial


def importable(version: str, trial: Trial) -> str:
    """The state under this cloud's key, on the machine's architecture as embedded accounts have it, and encrypted as this stack
    is: what it marks as secret is recorded as it is, because none of it is one.
    """
    settings = yaml.safe_load((trial.cli.project / f"Pulumi.{trial.stack}.yaml").read_text(encoding="utf-8"))
    encryption = {"type": "passphrase", "state": {"salt": settings["encryptionsalt"]}}
    state = RECORDED[version] | {"deployment": RECORDED[version]["deployment"] | {"secrets_providers": encryption}}
    recorded = yaml.safe_load((FIXTURES / version / f"{NAME}.keys.yaml").read_text(encoding="utf-8"))
    own = trial.deployment.spec.aws.key.arn
    assert own
    serverless = trial.deployment.spec.aws.runtime.emr_serverless
    assert serverless is not None
    text = json.dumps(state).replace('"ARM64"', f'"{serverless.architecture.value.upper()}"')
    return text.replace(recorded["encryption_key"], own)


def previewed(trial: Trial) -> dict[str, str]:
    """Returns what would be done with each resource, by URN."""
    plan = json.loads(run(trial.cli, "preview", "--json", "--show-sames", "--stack", trial.stack))
    return {each["urn"]: each["op"] for each in plan["steps"]}


def resources_of(version: str) -> list[dict[str, Any]]:
    resources: list[dict[str, Any]] = RECORDED[version]["deployment"]["resources"]
    return resources
