from bench import wide
from bench.full_rate import Run
from bench.processes import Role, Sample


def test_many_shards_are_compared_with_few_of_the_same_turn() -> None:
    def of(cpu_s: float) -> Run:
        return Run(100.0, [Sample(0.0, {Role.WORKER: 1.0}, {}, []), Sample(10.0, {Role.WORKER: 1.0 + cpu_s}, {}, [])])

    figures = wide.figures([wide.Pair(few=of(2.0), most=of(2.5)), wide.Pair(few=of(1.0), most=of(1.5))])
    (ratio,) = [figure for figure in figures if figure.bar]
    assert (list(ratio.values), ratio.is_met) == ([1.25, 1.5], False)
