"""The peer itself is Java and half a gigabyte of packages: `scripts/bench peer` runs it. Here are its figures."""

import pytest

from bench.errors import BenchFailed
from bench.full_rate import Run
from bench.peer import run as peer
from bench.processes import Role, Sample
from firnline_ingest.native import Native


def of(cpu_s: float, *, first_ms_per_mb: float, tree_mb: float) -> Run:
    """100 MB in ten seconds."""
    samples = [Sample(at, {Role.JVM: cpu}, {}, []) for at, cpu in ((0.0, 5.0), (10.0, 5.0 + cpu_s))]
    return Run(100.0, samples, tree_mb, first_ms_per_mb=first_ms_per_mb)


def test_ratios_are_of_one_turn_and_each_has_its_bar() -> None:
    turns = [
        peer.Turn(
            ours=of(1.5, first_ms_per_mb=20.0, tree_mb=1000.0),
            in_python=of(2.0, first_ms_per_mb=30.0, tree_mb=1100.0),
            peers=of(4.0, first_ms_per_mb=80.0, tree_mb=2000.0),
        ),
        peer.Turn(
            ours=of(3.0, first_ms_per_mb=20.0, tree_mb=1000.0),
            in_python=of(4.0, first_ms_per_mb=30.0, tree_mb=1000.0),
            peers=of(6.0, first_ms_per_mb=80.0, tree_mb=4000.0),
        ),
    ]
    measured = {(figure.name, figure.unit): figure for figure in peer.figures(turns)}
    cpu = measured["CPU, of the peer's with its JIT warm", "x"]
    assert (list(cpu.values), cpu.is_met) == ([0.375, 0.5], False)
    cold = measured["CPU, of the peer's in its first 30 s", "x"]
    assert (list(cold.values), cold.is_met) == ([0.25, 0.25], True)
    memory = measured["memory, of the peer's", "x"]
    assert (list(memory.values), memory.is_met) == ([0.5, 0.25], True)
    assert list(measured["firnline, with firnline-native", "CPU s/GB"].values) == [15.0, 30.0]


def test_without_machine_code_there_is_nothing_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "native", lambda: Native(None, "firnline-native is not installed"))
    with pytest.raises(BenchFailed, match="scripts/native"):
        peer.measure(warm_up_s=0.0, seconds=0.0)


def test_a_machine_without_maven_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.peer.run.shutil.which", lambda name: None if name == "mvn" else f"/usr/bin/{name}")
    with pytest.raises(BenchFailed, match="needs mvn: install a JDK 17 and Maven"):
        peer.built()
