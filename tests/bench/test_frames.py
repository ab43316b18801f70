from bench import frames
from bench.full_rate import Run
from bench.processes import Role, Sample
from firnline_ingest.config.query import PipelineQuery


def test_a_query_is_compared_with_the_engine_of_the_same_turn() -> None:
    def of(worker_s: float, jvm_s: float) -> Run:
        first, last = {Role.WORKER: 1.0, Role.JVM: 5.0}, {Role.WORKER: 1.0 + worker_s, Role.JVM: 5.0 + jvm_s}
        return Run(100.0, [Sample(0.0, first, {}, []), Sample(10.0, last, {}, [])])

    turns = [frames.InTurns(query=of(4.0, 2.0), direct=of(1.0, 0.5)), frames.InTurns(of(3.0, 2.0), of(2.0, 0.5))]
    figures = {figure.name.strip(): list(figure.values) for figure in frames.figures(turns)}
    assert figures == {
        "with a query": [60.0, 50.0],
        "of it workers": [40.0, 30.0],
        "of it driver and JVM": [20.0, 20.0],
        "without": [15.0, 25.0],
        "ratio": [4.0, 2.0],
    }


def test_its_query_is_one() -> None:
    assert PipelineQuery.model_validate(frames.QUERY).sql
