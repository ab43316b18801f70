from bench.full_rate import Run
from bench.processes import Role, Sample
from bench.shards import Round, cost_ms, figures


def _run(megabytes: float, reads: int, cpu_s: float) -> Run:
    samples = [Sample(at_s, {Role.WORKER: used_s}, {}, [1.0]) for at_s, used_s in ((0.0, 1.0), (10.0, 1.0 + cpu_s))]
    return Run(megabytes, samples, reads=reads)


def test_the_cost_of_a_read_follows_from_full_and_thin_shards() -> None:
    """10 ms a megabyte and 2 ms a read, both ways."""
    of_a_megabyte, of_a_read = cost_ms(_run(300.0, 300, 3.6), _run(50.0, 750, 2.0))
    assert (round(of_a_megabyte, 6), round(of_a_read, 6)) == (10.0, 2.0)


def test_a_round_without_trickles_has_the_other_figures() -> None:
    full, thin = _run(100.0, 100, 2.0), _run(50.0, 750, 2.0)
    found = [figure.name for figure in figures([Round(few=full, many=full, large=full, thin=thin)])]
    assert "thin shards, 0.3 MB/s each" in found
    assert not [name for name in found if "latency" in name]
