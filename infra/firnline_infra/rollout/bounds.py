"""How long each wait of a roll-out may last."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """In seconds, but for `attempts`."""

    stop_s: float = 300.0
    """For the old engine to prove its last rows: the engine's own bounds end before."""
    heart_s: float = 12.0
    """Without a beat, after which an engine counts as dead (ledger/lease.py looks for ten beats)."""
    grace_s: int = 120
    """That a cancelled run is given; the services take 15 to 1,800."""
    gone_s: float = 420.0
    """For everything of a cancelled run to be gone, its grace included."""
    known_s: float = 60.0
    """For a service to know of a run that it has just taken: until then it may answer that there is none."""
    begin_s: float = 900.0
    """For the new engine to hold the application: machines are fetched, and an image is pulled."""
    room_s: float = 300.0
    """For the program of a run that is to stand by to begin: one that waits longer finds no machines beside the old one's."""
    serve_s: float = 300.0
    """For it to open all shards, from then on."""
    tip_s: float = 60.0
    """For it to reach the tip, which a backlog may well make longer: that fails nothing."""
    attempts: int = 3
    """Starts of the new program by its service, with which it counts as failed."""
    look_s: float = 1.0
    """Between two looks at what is waited for."""
