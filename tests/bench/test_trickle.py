import pytest

from bench import fan_out, idle
from bench.full_rate import Run as FullRun
from bench.kinesis.pushing import Pushed
from bench.processes import Role, Sample
from bench.trickle import RECORDS_PER_S, Append, Run, figures, served_ms, told_apart

ENDS = {0: [10.0, 20.0], 1: [10.0, 20.0]}


def append(at_s: float, shard: int = 0) -> Append:
    return Append(at_s=at_s, shard=shard, last_record=9, records=10)


def test_the_first_append_of_a_shard_after_an_epochs_end_is_at_the_boundary() -> None:
    appends = [append(at_s, shard) for at_s in (10.6, 10.8, 19.9, 20.5, 20.7) for shard in (0, 1)]
    inside, boundaries = told_apart(reversed(appends), ENDS)
    assert [one.at_s for one in boundaries] == [10.6, 10.6, 20.5, 20.5]
    assert [one.at_s for one in inside] == [10.8, 10.8, 19.9, 19.9, 20.7, 20.7]


def test_the_epoch_that_opens_the_channels_is_left_out() -> None:
    assert told_apart([append(1.0), append(9.9)], ENDS) == ([], [])


def test_each_record_waits_from_its_own_arrival() -> None:
    began_s = 1000.0
    waits = Append(at_s=began_s + 1.0, shard=0, last_record=2, records=3).waits_ms(began_s)
    assert waits == pytest.approx([1000 - n * 1000 / RECORDS_PER_S for n in range(3)])


def test_what_a_record_waits_at_a_boundary_counts_like_any_other_wait() -> None:
    run = Run(inside_ms=[100.0] * 998, at_boundaries_ms=[240.0, 501.0], reads_per_s=4.7, refused=0, reopened=0)
    by_name = {figure.name: figure for figure in figures([run])}
    assert by_name["whole run, worst"].median == 501.0
    assert [figure.name for figure in by_name.values() if figure.is_met is False] == ["whole run, worst"]


def test_a_single_read_that_was_refused_misses_the_bar() -> None:
    run = Run(inside_ms=[100.0], at_boundaries_ms=[110.0], reads_per_s=4.7, refused=1, reopened=0)
    assert [figure.name for figure in figures([run]) if figure.is_met is False] == ["reads refused"]


def test_the_servers_own_time_is_that_of_the_records_that_were_appended() -> None:
    appends = [Append(at_s=2.0, shard=0, last_record=2, records=2)]
    pushed = [Pushed(0.5, 0, 0, 1), Pushed(0.5, 1, 0, 9), Pushed(1.0, 0, 1, 3), Pushed(5.0, 0, 0, 3)]
    assert served_ms(appends, pushed, 0.0) == pytest.approx([(1.0 - n / RECORDS_PER_S) * 1000 for n in (1, 2)])


def test_fan_out_is_held_to_what_it_takes_beyond_the_server() -> None:
    run = Run(
        inside_ms=[50.0] * 9, at_boundaries_ms=[70.0], reads_per_s=0, refused=0, reopened=0, server_ms=[45.5] * 10
    )
    full = FullRun(1.0, [Sample(at_s, {Role.WORKER: at_s}, {}, [1.0]) for at_s in (0.0, 1.0)])
    quiet = idle.Idle(
        (Sample(0.0, {Role.WORKER: 1.0}, {}, []), Sample(10.0, {Role.WORKER: 2.0, Role.JVM: 9.0}, {}, [])), reads=0
    )
    by_name = {figure.name.strip(): figure for figure in fan_out.figures([fan_out.Round(run, full, full, quiet)])}
    assert by_name["above the server"].median == 4.5
    assert by_name["64 idle subscriptions, workers"].median == pytest.approx(10.0)
    assert by_name["all processes"].median == pytest.approx(100.0)
    assert [figure.name for figure in by_name.values() if figure.is_met is False] == []


def test_reads_of_idle_shards_are_taken_from_those_that_a_streams_readers_share() -> None:
    samples = Sample(0.0, {Role.JVM: 1.0}, {}, []), Sample(10.0, {Role.JVM: 4.0}, {}, [])
    by_name = {each.name.strip(): each for each in idle.figures([idle.Idle(samples, reads=10 * 64 * 3)])}
    kept = by_name["shared reads that other readers keep"]
    assert (kept.median, kept.is_met) == (pytest.approx(40.0), False)
    all_of_it = by_name["64 idle shards, all processes"]
    assert (all_of_it.median, all_of_it.is_met) == (pytest.approx(30.0), False)
