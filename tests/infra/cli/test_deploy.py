from firnline_infra.cli.deploy import told
from firnline_infra.rollout.loop import Deployed
from firnline_infra.rollout.phases import Phase
from firnline_infra.runtimes.service import Run, RunState

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
