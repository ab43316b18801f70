import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click
import pytest

from firnline_infra.artefact.engine_wheel import engine_version
from firnline_infra.cli.accounts_option import ChosenAccounts
from firnline_infra.cli.deploy import told
from firnline_infra.cli.rollout import artefact_of, engine_of, outputs_in
from firnline_infra.rollout.loop import Deployed
from firnline_infra.rollout.phases import Phase
from firnline_infra.runtimes.service import Run, RunState
from tests.infra.runtimes.environments import spec_of

RUN = Run(id="00frun", hash="ab" * 32, state=RunState.RUNNING)


def test_the_time_between_two_engines_is_told_phase_by_phase() -> None:
    phases = {Phase.PROOF: 7.2, Phase.READ: 186.0}
    text = told(Deployed(run=RUN, number=2, gap_s=193.2, phases=phases), "prod")
    assert text.splitlines() == [
        "Deployment 2 is done: run 00frun runs abababababab.",
        "Between the two engines nothing was read for at most 193 s:",
        "     7 s  until the old engine had proven its last rows",
        "   186 s  until every shard was open",
    ]


def test_what_is_behind_its_tip_is_told() -> None:
    assert "firnline status prod" in told(Deployed(run=RUN, number=1, is_at_tip=False), "prod")


def test_where_nothing_was_done_it_says_so() -> None:
    assert told(Deployed(run=RUN, number=None), "prod") == "Run 00frun runs this already: nothing to do."


@pytest.mark.parametrize(
    ("machine", "target"),
    [({}, "Python 3.13 on aarch64"), ({"python": "3.11", "architecture": "x86_64"}, "Python 3.11 on x86_64")],
)
def test_an_artefact_is_built_for_where_the_engine_runs_and_locally_that_is_this_machine(
    monkeypatch: pytest.MonkeyPatch, machine: dict[str, str], target: str
) -> None:
    said: list[str] = []
    wheel = f"firnline_native-{engine_version()}-cp311-abi3-manylinux_2_34_aarch64.whl"
    spec = spec_of("dev", "emr_serverless", modules=["lib/cleaning.py"], native_wheel=wheel)
    accounts = SimpleNamespace(engines_machine=machine)
    monkeypatch.setattr(
        "firnline_infra.artefact.build_cached",
        lambda built_for, native, modules: f"{built_for} with {native} and {modules}",
    )
    engine = cast("Any", SimpleNamespace(spec=spec, accounts=accounts, say=said.append))
    assert (
        str(artefact_of(engine, None))
        == f"{target} with {wheel if 'aarch64' in target else None} and ['lib/cleaning.py']"
    )
    assert target in said[0]


OUTPUTS = {"engine_config": {"application": "a"}, "engine_role_arn": "arn:aws:iam::111122223333:role/a"}
DEV = Path(__file__).parents[3] / "stacks" / "environments" / "dev.yaml"


@pytest.mark.parametrize(
    "printed",
    [OUTPUTS, {name: {"sensitive": False, "type": "string", "value": value} for name, value in OUTPUTS.items()}],
    ids=["an output that is the module", "the module itself"],
)
def test_an_engine_is_of_the_outputs_that_terraform_has_printed_and_no_state_is_asked(
    printed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("firnline_infra.stack.deployment.Deployment.of")
    engine = engine_of(DEV, ChosenAccounts(None, {}), outputs=outputs_in(json.dumps(printed)))
    assert engine.outputs() == OUTPUTS


@pytest.mark.parametrize(
    "printed", ["", "[]", "{}", '{"dev": {"value": {}, "sensitive": false}}', '{"engine_config": "x"}']
)
def test_outputs_that_are_another_module_s_are_refused_with_what_to_print(printed: str) -> None:
    with pytest.raises(click.BadParameter, match="terraform output -json dev"):
        outputs_in(printed)
