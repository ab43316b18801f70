"""The environments of this repository through the real engine: made, kept, repaired, removed; nothing else touched."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import UnexpectedChanges
from firnline_infra.specification import load_spec
from firnline_infra.stack.errors import DestroyRefused
from firnline_local.environment import LocalEnvironment

from .engine import run_the_engine
from .environments import Trial, survey, trial_of
from .survey.in_aws import Facts

pytestmark = [pytest.mark.slow, pytest.mark.pulumi, pytest.mark.usefixtures("pulumi_binary"), pytest.mark.timeout(600)]
Change = Callable[[Trial], object]


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A change behind Pulumi's back, and how a preview names it."""

    change: Change
    named: str


def retention(trial: Trial, stream: str, hours: int) -> None:
    kinesis = trial.environment.client("kinesis")
    kinesis.increase_stream_retention_period(StreamName=stream, RetentionPeriodHours=hours)


DRIFTS = {
    "local": [
        Drift(change=lambda trial: retention(trial, "orders", 72), named=r"retentionPeriod *: 72 => 24"),
        Drift(
            change=lambda trial: trial.sql("ALTER USER FIRNLINE_LOCAL_READER SET DEFAULT_ROLE = 'PUBLIC'"),
            named=r'defaultRole *: "PUBLIC" => "FIRNLINE_LOCAL_READER"',
        ),
    ],
    "prod": [
        Drift(
            change=lambda trial: trial.environment.client("dynamodb").update_table(
                TableName="firnline-prod", DeletionProtectionEnabled=False
            ),
            named=r"deletionProtectionEnabled *: false => true",
        ),
        Drift(
            change=lambda trial: trial.sql(
                "ALTER NETWORK POLICY FIRNLINE_PROD_NETWORK SET ALLOWED_IP_LIST = ('0.0.0.0/0')"
            ),
            named=r'"0.0.0.0/0" => "198.51.100.0/24"',
        ),
    ],
}

BEHIND_THE_ENGINE = {"local": ["DROP STAGE FIRNLINE.RAW.ORDERS_DEAD_LETTERS"]}
"""Pulumi sees nothing of a stage but the grants on it, and would be refused those."""


@pytest.mark.parametrize("name", ["local", "prod"])
def test_an_environment_is_made_kept_repaired_and_removed_without_a_trace(name: str, tmp_path: Path) -> None:
    with trial_of(name, tmp_path) as trial:
        before, cli = survey(trial.environment), trial.cli
        outputs = trial.deployment.up()
        assert trial.differences(outputs, before=before) == {}
        if name == "local":
            equal_in_process(trial, outputs, tmp_path / "in-process")
        else:  # that nothing is left to do for `local` is seen by test_killed_command.py
            assert re.fullmatch(r"\d+ unchanged", summary_of_up(cli, trial.stack))
            cli.preview(trial.stack, refresh=True, expect_no_changes=True)

        for drift in DRIFTS[name]:
            drift.change(trial)
        with pytest.raises(UnexpectedChanges) as unexpected:
            cli.preview(trial.stack, refresh=True, expect_no_changes=True)
        for drift in DRIFTS[name]:
            assert re.search(drift.named, "\n".join(unexpected.value.lines)), drift.named
        make_removable(trial)
        for statement in BEHIND_THE_ENGINE.get(name, ()):
            trial.sql(statement)
        trial.deployment.up(refresh=True)
        assert trial.differences(outputs, before=before) == {}
        if name == "local":
            ingest(trial, outputs)
        cli.preview(trial.stack, refresh=True, expect_no_changes=True)

        trial.deployment.destroy()
        assert survey(trial.environment) == {name: facts for name, facts in before.items() if "secret" not in name}
        assert names_of_secrets(trial) == []


def names_of_secrets(trial: Trial) -> list[str]:
    """Also of those that wait for their deletion: no other secret can have such a name."""
    listed = trial.environment.client("secretsmanager").list_secrets(IncludePlannedDeletion=True)["SecretList"]
    return [each["Name"] for each in listed]


def ingest(trial: Trial, outputs: Mapping[str, Any]) -> None:
    """The column that evolution adds on the way is not drift to the preview that comes after."""
    assert run_the_engine(trial.environment, outputs, [{"n": n} for n in range(50)]) == list(range(50))


def summary_of_up(cli: PulumiCli, stack: str) -> str:
    lines: list[str] = []
    replace(cli, on_line=lines.append).up(stack)
    text = "\n".join(lines)
    return text.rpartition("Resources:\n")[2].partition("\n\n")[0].strip()


def make_removable(trial: Trial) -> None:
    """A destroy of a PROTECTED one is refused in both ways, and then the specification is changed."""
    text = trial.spec_file.read_text()
    if "PROTECTED" not in text:
        return
    there = survey(trial.environment)
    with pytest.raises(DestroyRefused):
        trial.deployment.destroy()
    trial.spec_file.write_text(text.replace("durability: PROTECTED", "durability: EPHEMERAL"))
    with pytest.raises(DestroyRefused):
        trial.deployment.destroy()
    assert survey(trial.environment) == there


@pytest.mark.parametrize("name", ["dev", "staging"])
def test_an_environment_is_made_and_then_nothing_is_left_to_do(name: str, tmp_path: Path) -> None:
    with trial_of(name, tmp_path) as trial:
        before, plan = survey(trial.environment), tmp_path / "plan.json" if name == "staging" else None
        if plan is not None:
            without_an_image(trial)
            trial.deployment.preview(save_plan=plan)
        outputs = trial.deployment.up(refresh=True, plan=plan)
        assert trial.differences(outputs, before=before) == {}
        if name == "dev":
            ingest(trial, outputs)
        else:
            assert "image repository firnline-staging" in survey(trial.environment)
        trial.cli.preview(trial.stack, refresh=True, expect_no_changes=True)


def without_an_image(trial: Trial) -> None:
    """A repository is made for it then."""
    text = trial.spec_file.read_text()
    assert "      image: " in text
    trial.spec_file.write_text(text.replace("      image: ", "      # image: "))


def equal_in_process(trial: Trial, outputs: Mapping[str, Any], folder: Path) -> None:
    """The same specification in an embedded environment that is made without the engine."""
    with LocalEnvironment(folder, load_spec(trial.spec_file)) as environment:
        in_process, own = survey(environment), environment.engine_config()
    assert without_keys(in_process) == without_keys(survey(trial.environment))
    assert own["pipelines"] == outputs["engine_config"]["pipelines"]


def without_keys(facts: Facts) -> Facts:
    """Each environment has pairs of its own."""
    return {name: {each: fact for each, fact in told.items() if each != "keys"} for name, told in facts.items()}
