"""The probe: whether a new engine's program could begin, asked before the old one is stopped for it.

Where two engines can't be up at once nothing else would show that an image can't be pulled, that a secret or a volume is missing
or that no node is of the kind that is asked for, until nothing reads any more.
"""

from contextlib import closing

from firnline_infra.rollout.context import RolloutContext
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor, lacks_a_node


def refused_to_begin(context: RolloutContext, job: EngineJob, token: str) -> str:
    """Returns why the job's program can't begin; empty where it could, and where nobody can say. What waits for room says
    nothing: the old engine has that."""
    probe = context.service.probe(job, token)
    if probe is None:
        return ""
    context.say(f"Looks whether {job.hash[:12]} could begin, before anything is stopped.")
    clock, timeouts = context.clock, context.timeouts
    began_s, hopeless_s, no_node_s = clock(), float("inf"), float("inf")
    with closing(probe):
        while clock() - began_s <= timeouts.room_s:
            now = probe.look()
            if now.state is not RunState.STARTING or now.waits_for is WaitsFor.ROOM:
                return ""
            hopeless_s = min(hopeless_s, clock()) if now.waits_for is WaitsFor.CORRECTION else float("inf")
            no_node_s = min(no_node_s, clock()) if lacks_a_node(now.reason) else float("inf")
            if clock() - hopeless_s >= timeouts.passing_s:
                return f"a probe of it, {now.id}, can't begin as it is: {now.described}"
            context.wait()
        return _after_all_that_time(context, now, is_without_a_node=no_node_s < clock())


def _after_all_that_time(context: RolloutContext, now: Run, *, is_without_a_node: bool) -> str:
    if is_without_a_node:
        return (
            f"a probe of it, {now.id}, is {now.described}: no node is of the kind that it asks for, and none was made in "
            f"{context.timeouts.room_s:.0f} s"
        )
    context.say(f"Its probe is {now.described} after {context.timeouts.room_s:.0f} s, which says nothing against it.")
    return ""
