"""Ports for servers that are told where to listen: below those that the system gives to clients.

A port that the system gave, and that was closed again, may be the connection of any other test a moment later. Then the server
does not start, or a test talks to another one's.
"""

import random
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

HOST = "127.0.0.1"
FIRST, LAST = 20_000, 32_767
GIVEN = Path("/proc/sys/net/ipv4/ip_local_port_range")


def candidates(given: Path = GIVEN) -> range:
    """Empty where the system gives clients the lower ones, too."""
    lowest = int(given.read_text().split()[0]) if given.exists() else LAST + 1
    return range(FIRST, min(LAST + 1, lowest))


def free_ports(number: int) -> list[int]:
    """Different ones: all are held until the last is found."""
    among = candidates()
    tried = random.sample(among, min(len(among), 1_000))
    with ExitStack() as held:
        found: list[int] = []
        for port in [*tried, *[0] * number]:
            if len(found) == number:
                break
            with suppress(OSError):  # somebody else's
                server = held.enter_context(socket.create_server((HOST, port)))
                found.append(server.getsockname()[1])
        return found
