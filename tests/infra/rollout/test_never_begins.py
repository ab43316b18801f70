"""A new engine whose program never begins: the old one is stopped for want of room alone."""

from dataclasses import replace

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import RolloutFailed
from firnline_infra.rollout.records import Outcome
from firnline_infra.runtimes.waiting import WaitsFor, waits_for
from tests.infra.rollout.world import BEGINS_S, FakeJob, World

OLD, NEW = (FakeJob(digit * 64, stands_by=True) for digit in "01")
IMAGE = 'pod d: ImagePullBackOff: Back-off pulling image "registry.acme.com/firnline:tpyo": not found'
SELECTOR = "pod d: 0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector."


def failed(world: World) -> RolloutFailed:
    with pytest.raises(RolloutFailed) as raised:
        world.roll_out().deploy(NEW)
    return raised.value


@pytest.mark.parametrize(
    ("words", "within_s"),
    [
        (IMAGE, Timeouts().passing_s + 10),
        ('pod d: CreateContainerConfigError: secret "keys" not found', Timeouts().passing_s + 10),
        (SELECTOR, Timeouts().room_s + 10),
        ("", Timeouts().begin_s + 10),
    ],
)
def test_it_fails_with_the_services_words_and_leaves_the_old_engine_alone(
    deployed: World, words: str, within_s: float
) -> None:
    deployed.unable[NEW.hash] = (words, waits_for(words))
    began_s = deployed.now_s
    error = failed(deployed)
    assert words in error.what
    assert "Nothing was stopped: run run-0" in error.what
    assert "correct what its service says" in error.next_step, "it has written no log"
    assert deployed.now_s - began_s <= within_s
    run = deployed.ledger.current_run()
    assert run is not None
    assert (run.stop_requests, deployed.running, deployed.started) == (0, [OLD.hash], [OLD.hash, NEW.hash])
    assert deployed.roll_out().records.newest().outcome is Outcome.FAILED


def test_for_want_of_room_the_old_engine_is_stopped(deployed: World) -> None:
    deployed.unplaced.add(NEW.hash)
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]


@pytest.mark.parametrize(
    ("words", "within_s"), [(IMAGE, Timeouts().passing_s + 10), (SELECTOR, Timeouts().room_s + 10)]
)
@pytest.mark.parametrize("lacking", [False, True], ids=["stop_first", "no room for two"])
def test_where_the_old_one_is_to_be_stopped_first_a_probe_leaves_it_alone(
    deployed: World, words: str, within_s: float, *, lacking: bool
) -> None:
    new = replace(NEW, stands_by=lacking)
    deployed.lacking = "the application has no capacity for two." if lacking else ""
    deployed.unable[NEW.hash] = (words, waits_for(words))
    began_s = deployed.now_s
    with pytest.raises(RolloutFailed) as raised:
        deployed.roll_out().deploy(new)
    error = raised.value
    assert words in error.what
    assert "Nothing was stopped: run run-0" in error.what
    assert "stop_first" not in error.next_step
    assert deployed.now_s - began_s <= within_s
    run = deployed.ledger.current_run()
    assert run is not None
    assert (run.stop_requests, deployed.running, deployed.started) == (0, [OLD.hash], [OLD.hash])
    assert deployed.probes == []
    assert deployed.roll_out().records.newest().outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("words", "kind"), [("0/3 nodes: 3 Insufficient cpu", WaitsFor.ROOM), ("ContainerCreating", WaitsFor.UNKNOWN)]
)
def test_a_probe_that_waits_for_room_or_says_nothing_keeps_no_deploy_from_going_on(
    deployed: World, words: str, kind: WaitsFor
) -> None:
    deployed.unable[NEW.hash] = (words, kind)
    probe = deployed.probe

    def only_the_probe(job: FakeJob, token: str) -> object:
        found = probe(job, token)
        assert found is not None
        close = found.close

        def closing() -> None:
            deployed.unable.clear()
            close()

        found.close = closing  # type: ignore[method-assign]
        return found

    deployed.probe = only_the_probe  # type: ignore[method-assign,assignment]
    deployed.roll_out().deploy(replace(NEW, stands_by=False))
    assert (deployed.running, deployed.probes) == ([NEW.hash], [])


def test_where_it_is_stopped_first_what_ran_before_is_back_at_once(deployed: World) -> None:
    """A runtime without probes, or an image that goes while the old engine stops."""
    deployed.has_probes = False
    new = replace(NEW, stands_by=False)
    deployed.unable[NEW.hash] = (IMAGE, WaitsFor.CORRECTION)
    began_s = deployed.now_s
    with pytest.raises(RolloutFailed, match=r"ImagePullBackOff.*The one before runs again"):
        deployed.roll_out().deploy(new)
    assert deployed.running == [OLD.hash]
    assert deployed.now_s - began_s < Timeouts().passing_s + 2 * BEGINS_S + 30


def test_what_passes_within_seconds_fails_nothing(deployed: World) -> None:
    """A registry was away for a moment."""
    deployed.unable[NEW.hash] = (IMAGE, WaitsFor.CORRECTION)
    sleep, since_s = deployed.sleep, deployed.now_s

    def passing(seconds: float) -> None:
        sleep(seconds)
        if deployed.now_s - since_s > Timeouts().passing_s / 2 and deployed.unable.pop(NEW.hash, None):
            engine = deployed.engines[-1]
            engine.run = replace(engine.run, reason="", waits_for=WaitsFor.UNKNOWN)

    deployed.sleep = passing  # type: ignore[method-assign]  # a registry that comes back
    deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.started) == ([NEW.hash], [OLD.hash, NEW.hash])
