"""Everything that a deployer may do has a reason, and every statement says what it is about."""

from docs.tools.permissions import about
from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.specification import EnvironmentSpec


def test_each_statement_says_what_it_is_about(
    every_spec: tuple[EnvironmentSpec, ...],
) -> None:
    given = {each.sid for spec in every_spec for each in deployer_statements(blueprint_of(spec))}
    assert about.DEPLOYER.keys() == given


def test_each_action_has_a_reason_where_it_is_allowed(
    every_spec: tuple[EnvironmentSpec, ...],
) -> None:
    for spec in every_spec:
        blueprint = blueprint_of(spec)
        for statement in (*deployer_statements(blueprint), *previewer_statements(blueprint)):
            assert all(statement.reasons[action] for action in statement.actions), statement.sid


def test_a_previewer_has_parts_of_the_deployers_statements(
    every_spec: tuple[EnvironmentSpec, ...],
) -> None:
    for spec in every_spec:
        deploys = {each.sid: each for each in deployer_statements(blueprint_of(spec))}
        for statement in previewer_statements(blueprint_of(spec)):
            whole = deploys[statement.sid]
            assert set(statement.actions) <= set(whole.actions)
            assert (statement.resources, statement.conditions) == (whole.resources, whole.conditions)
