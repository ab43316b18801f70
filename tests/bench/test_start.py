from bench.processes import Role
from bench.start import Pair, Start, figures


def test_a_start_is_judged_by_the_one_beside_it() -> None:
    fast = Pair(Start(12.0, 6.0, {Role.JVM: 8.0}), Start(10.0, 10.0, {}))
    slow = Pair(Start(24.0, 24.0, {Role.JVM: 16.0}), Start(20.0, 12.0, {}))
    found = {figure.name: figure for figure in figures([fast, slow, fast])}
    cpu, wall = found["CPU, of a bare session's"], found["time, of a bare session's"]
    assert (list(cpu.values), cpu.is_met) == ([1.2, 1.2, 1.2], True)
    assert list(wall.values) == [0.6, 2.0, 0.6]
    assert found["engine, CPU of JVM"].median == 8.0
