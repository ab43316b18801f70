"""Ports for servers are free, different, and none that the system gives to clients."""

import socket
from pathlib import Path

import pytest

from tests import ports


def test_ports_are_free_different_and_none_of_a_client() -> None:
    found = ports.free_ports(20)
    assert len({*found}) == 20
    assert all(port in ports.candidates() for port in found)
    for port in found:
        socket.create_server((ports.HOST, port)).close()


def test_a_port_that_is_taken_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((ports.HOST, 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(ports, "candidates", lambda: range(port, port + 1))
        (found,) = ports.free_ports(1)
    assert found != port


@pytest.mark.parametrize(
    ("given", "expected"), [("32768 60999", 32_768), ("22000 60999", 22_000), ("1024 65535", 20_000)]
)
def test_what_the_system_gives_to_clients_is_left_to_them(tmp_path: Path, given: str, expected: int) -> None:
    file = tmp_path / "range"
    file.write_text(given)
    assert ports.candidates(file).stop in (expected, 1_024)
    assert len(ports.candidates(file)) == expected - 20_000
