from dataclasses import replace
from itertools import count

import pytest

from firnline_infra.keys.steps import Impossible, Step, World, next_step

OLD, NEW = "SHA256:old", "SHA256:new"
SETTLED = World(
    slots=(OLD, None),
    current=OLD,
    pending=None,
    previous=None,
    registered=frozenset({OLD}),
    in_use=frozenset({OLD}),
)


def after(step: Step, world: World) -> World:
    """The world after a step, and after whoever it waited for did their part."""
    match step:
        case Step.STAGE:
            return replace(world, pending=NEW)
        case Step.RECORD:
            first, second = world.slots
            return replace(world, slots=(first or world.pending, second or world.pending))
        case Step.PROMOTE:
            assert world.pending is not None
            return replace(world, current=world.pending, pending=None, previous=world.current)
        case Step.RETIRE:
            first, second = (slot if slot == world.current else None for slot in world.slots)
            return replace(world, slots=(first, second))
        case Step.FORGET:
            return replace(world, previous=None)
        case Step.REGISTER | Step.UNREGISTER:
            return replace(world, registered=world.recorded)
        case Step.TAKE_UP:
            return replace(world, in_use=frozenset({world.current}))


@pytest.mark.parametrize("slots", [(OLD, None), (None, OLD)])
def test_a_rotation_ends_with_the_new_key_alone_and_what_is_in_use_is_registered_throughout(
    slots: tuple[str | None, str | None],
) -> None:
    world, steps = replace(SETTLED, slots=slots), []
    for number in count():
        assert number < 20
        assert world.current in world.registered, "an engine that starts now could not log in"
        assert world.in_use is not None
        assert world.in_use <= world.registered, "the engine that runs is cut off"
        step = next_step(world)
        if steps and step is Step.STAGE:
            break
        steps.append(step)
        world = after(step, world)
    assert steps == [
        Step.STAGE,
        Step.RECORD,
        Step.REGISTER,
        Step.PROMOTE,
        Step.TAKE_UP,
        Step.RETIRE,
        Step.UNREGISTER,
        Step.FORGET,
    ]
    assert (world.current, world.recorded, world.registered) == (NEW, {NEW}, {NEW})


BOTH = replace(SETTLED, slots=(OLD, NEW), registered=frozenset({OLD, NEW}))
SWITCHED = replace(BOTH, current=NEW, previous=OLD)


@pytest.mark.parametrize(
    ("in_use", "step"),
    [
        (None, Step.TAKE_UP),
        (frozenset(), Step.TAKE_UP),
        (frozenset({OLD}), Step.TAKE_UP),
        (frozenset({OLD, NEW}), Step.TAKE_UP),
        (frozenset({NEW}), Step.RETIRE),
    ],
)
def test_the_old_key_goes_only_when_nothing_but_the_new_one_is_seen(in_use: frozenset[str] | None, step: Step) -> None:
    assert next_step(replace(SWITCHED, in_use=in_use)) is step


@pytest.mark.parametrize("registered", [frozenset(), frozenset({OLD}), frozenset({NEW})])
def test_the_secret_is_not_switched_before_snowflake_has_both_keys(registered: frozenset[str]) -> None:
    assert next_step(replace(BOTH, pending=NEW, registered=registered)) is Step.REGISTER


def test_a_first_key_that_was_never_registered_is_registered_before_it_is_replaced() -> None:
    assert next_step(replace(SETTLED, registered=frozenset())) is Step.REGISTER


def test_a_stage_that_is_left_over_on_the_current_key_is_no_new_key() -> None:
    assert next_step(replace(SWITCHED, pending=NEW, in_use=frozenset({NEW}))) is Step.RETIRE


@pytest.mark.parametrize(
    ("world", "why"),
    [
        (replace(SETTLED, current="SHA256:foreign"), "is in no slot of the file"),
        (replace(BOTH, pending="SHA256:third"), "both slots are taken"),
    ],
)
def test_a_world_that_no_rotation_leads_through_is_refused(world: World, why: str) -> None:
    with pytest.raises(Impossible, match=why):
        next_step(world)
