"""Tests of which role acts in Snowflake: one of two, whatever a shell has set."""

from pathlib import Path

import pytest

from firnline_infra.specification import load_spec
from firnline_infra.stack.errors import OnlyLooks
from firnline_infra.stack.stack import acting_role
from tests.infra.stack.deployments import World


@pytest.mark.parametrize(
    ("said", "acting"),
    [
        ({}, "FIRNLINE_DEV_DEPLOY"),
        ({"SNOWFLAKE_ROLE": "FIRNLINE_DEV_PREVIEW"}, "FIRNLINE_DEV_PREVIEW"),
        ({"SNOWFLAKE_ROLE": "ACCOUNTADMIN"}, "FIRNLINE_DEV_DEPLOY"),
    ],
)
def test_it_is_the_one_that_deploys_unless_previews_are_meant(
    spec_file: Path, said: dict[str, str], acting: str
) -> None:
    assert acting_role(load_spec(spec_file), said) == acting


@pytest.mark.contract
@pytest.mark.parametrize("what", ["up", "destroy"])
def test_the_role_of_previews_changes_nothing(world: World, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_infra.stack.preconditions.current_role", lambda _: "FIRNLINE_DEV_PREVIEW")
    world.engine.resources = []
    with pytest.raises(OnlyLooks, match="SNOWFLAKE_ROLE, FIRNLINE_DEV_DEPLOY"):
        getattr(world.deployment, what)()
    assert world.engine.calls == []


@pytest.mark.contract
@pytest.mark.parametrize(
    ("before", "after", "unseen"),
    [
        (
            "snowflake: {",
            "snowflake: {allowed_networks: [192.0.2.0/24], ",
            "snowflake network policy FIRNLINE_DEV_NETWORK",
        ),
        ("table: ORDERS", "table: ORDERS, file_replay: true", "snowflake stage SHOP.RAW.ORDERS_DEAD_LETTERS"),
    ],
)
def test_previews_do_without_a_refresh_where_they_cant_see_a_policy_or_a_stage(
    world: World, before: str, after: str, unseen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.change(before, after)
    for module in ("stack.preconditions", "observe.sight"):
        monkeypatch.setattr(f"firnline_infra.{module}.current_role", lambda _: "FIRNLINE_DEV_PREVIEW")
    world.deployment.preview()
    assert world.said == [
        f"Not refreshed, because FIRNLINE_DEV_PREVIEW can't see {unseen}: compared with the last `up`."
    ]
