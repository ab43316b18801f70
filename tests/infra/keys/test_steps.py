from dataclasses import replace
from itertools import count

import pytest

from firnline_infra.keys.steps import ImpossibleState, RotationState, RotationStep, next_step

OLD, NEW = "SHA256:old", "SHA256:new"
SETTLED = RotationState(
    slots=(OLD, None),
    current=OLD,
    pending=None,
    previous=None,
    registered=frozenset({OLD}),
    in_use=frozenset({OLD}),
)


def after(step: RotationStep, state: RotationState) -> RotationState:
    """The state after a step, and after whoever it waited for did their part."""
    match step:
        case RotationStep.STAGE:
            return replace(state, pending=NEW)
        case RotationStep.RECORD:
            first, second = state.slots
            return replace(state, slots=(first or state.pending, second or state.pending))
        case RotationStep.PROMOTE:
            assert state.pending is not None
            return replace(state, current=state.pending, pending=None, previous=state.current)
        case RotationStep.RETIRE:
            first, second = (slot if slot == state.current else None for slot in state.slots)
            return replace(state, slots=(first, second))
        case RotationStep.FORGET:
            return replace(state, previous=None)
        case RotationStep.REGISTER | RotationStep.UNREGISTER:
            return replace(state, registered=state.recorded)
        case RotationStep.TAKE_UP:
            return replace(state, in_use=frozenset({state.current}))


@pytest.mark.parametrize("slots", [(OLD, None), (None, OLD)])
def test_a_rotation_ends_with_the_new_key_alone_and_what_is_in_use_is_registered_throughout(
    slots: tuple[str | None, str | None],
) -> None:
    state, steps = replace(SETTLED, slots=slots), []
    for number in count():
        assert number < 20
        assert state.current in state.registered, "an engine that starts now could not log in"
        assert state.in_use is not None
        assert state.in_use <= state.registered, "the engine that runs is cut off"
        step = next_step(state)
        if steps and step is RotationStep.STAGE:
            break
        steps.append(step)
        state = after(step, state)
    assert steps == [
        RotationStep.STAGE,
        RotationStep.RECORD,
        RotationStep.REGISTER,
        RotationStep.PROMOTE,
        RotationStep.TAKE_UP,
        RotationStep.RETIRE,
        RotationStep.UNREGISTER,
        RotationStep.FORGET,
    ]
    assert (state.current, state.recorded, state.registered) == (NEW, {NEW}, {NEW})


BOTH = replace(SETTLED, slots=(OLD, NEW), registered=frozenset({OLD, NEW}))
SWITCHED = replace(BOTH, current=NEW, previous=OLD)


@pytest.mark.parametrize(
    ("in_use", "step"),
    [
        (None, RotationStep.TAKE_UP),
        (frozenset(), RotationStep.TAKE_UP),
        (frozenset({OLD}), RotationStep.TAKE_UP),
        (frozenset({OLD, NEW}), RotationStep.TAKE_UP),
        (frozenset({NEW}), RotationStep.RETIRE),
    ],
)
def test_the_old_key_goes_only_when_nothing_but_the_new_one_is_seen(
    in_use: frozenset[str] | None, step: RotationStep
) -> None:
    assert next_step(replace(SWITCHED, in_use=in_use)) is step


@pytest.mark.parametrize("registered", [frozenset(), frozenset({OLD}), frozenset({NEW})])
def test_the_secret_is_not_switched_before_snowflake_has_both_keys(registered: frozenset[str]) -> None:
    assert next_step(replace(BOTH, pending=NEW, registered=registered)) is RotationStep.REGISTER


def test_a_first_key_that_was_never_registered_is_registered_before_it_is_replaced() -> None:
    assert next_step(replace(SETTLED, registered=frozenset())) is RotationStep.REGISTER


def test_a_stage_that_is_left_over_on_the_current_key_is_no_new_key() -> None:
    assert next_step(replace(SWITCHED, pending=NEW, in_use=frozenset({NEW}))) is RotationStep.RETIRE


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (replace(SETTLED, current="SHA256:foreign"), "is in no slot of the file"),
        (replace(BOTH, pending="SHA256:third"), "both slots are taken"),
    ],
)
def test_a_world_that_no_rotation_leads_through_is_refused(state: RotationState, why: str) -> None:
    with pytest.raises(ImpossibleState, match=why):
        next_step(state)
