"""Everything that a deployer may do has a reason, and no reason is left of what it may no longer do."""

import pytest

from docs.tools.permissions import about, reasons
from docs.tools.permissions.statements import reasons_of
from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.lifecycles import LIFECYCLES
from firnline_infra.render.bootstrap.reasons import REASONS
from firnline_infra.specification import EnvironmentSpec


@pytest.mark.parametrize("kind", LIFECYCLES)
def test_each_action_of_a_type_has_one_reason(kind: str) -> None:
    given = [action for actions in REASONS[kind].values() for action in actions]
    assert sorted(given) == sorted(LIFECYCLES[kind].all)


def test_only_types_that_are_made_have_reasons() -> None:
    assert REASONS.keys() == LIFECYCLES.keys()


def test_each_statement_says_what_it_is_about(
    every_spec: tuple[EnvironmentSpec, ...],
) -> None:
    given = {each.sid: each for spec in every_spec for each in deployer_statements(spec, blueprint_of(spec))}
    assert about.DEPLOYER.keys() == given.keys()
    assert reasons.DEPLOYER.keys() <= given.keys()
    for sid, given_reasons in reasons.DEPLOYER.items():
        assert sorted(action for actions in given_reasons.values() for action in actions) == sorted(given[sid].actions)


def test_each_action_has_a_reason_where_it_is_allowed(
    every_spec: tuple[EnvironmentSpec, ...],
) -> None:
    for spec in every_spec:
        blueprint = blueprint_of(spec)
        for statement in deployer_statements(spec, blueprint):
            assert reasons_of(statement, [(spec, blueprint)]).keys() >= set(statement.actions), statement.sid


def test_a_previewer_has_parts_of_the_deployers_statements(
    every_spec: tuple[EnvironmentSpec, ...],
) -> None:
    for spec in every_spec:
        deploys = {each.sid: each for each in deployer_statements(spec, blueprint_of(spec))}
        for statement in previewer_statements(spec, blueprint_of(spec)):
            whole = deploys[statement.sid]
            assert set(statement.actions) <= set(whole.actions)
            assert (statement.resources, statement.conditions) == (whole.resources, whole.conditions)
