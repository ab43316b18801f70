import pytest

from bench.trickle import RECORDS_PER_S, Append, Run, figures, told_apart

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
