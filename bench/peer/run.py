"""The engine beside what a team would write: the Kinesis Client Library, Jackson, Snowflake's SDK for Java (Peer.java).

Both read the same canned stream of 16 shards by TLS, in turns. The peer writes to a canned Snowflake by plain HTTP, because
its SDK trusts its own roots alone: that is to its advantage. Its CPU is counted once its JIT is warm, as the engine's is after
its start; a second figure is of what comes before, about 1 GB. Needs Java and Maven, which fetches its packages once.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.errors import BenchFailed
from bench.figure import Bar, Figure, at_most
from bench.full_rate import RECORDS_PER_S, SHARDS, Run, engine_run, observed
from bench.world import Shards, World
from firnline_ingest.native import native

PART = "peer"
TARGET_CPU, TARGET_COLD_CPU, TARGET_MEMORY = 0.4, 0.35, 0.4
WARM_UP_S = 30.0
SOURCES = ("pom.xml", "src/main/java/Peer.java")
HERE = Path(__file__).parent
HEAP = "-Xmx3g"
PASSWORD = "changeit"  # noqa: S105 - of a store of certificates that anybody may read


@dataclass(frozen=True)
class Turn:
    """The engine, the engine in Python alone, and the peer, one after the other."""

    ours: Run
    in_python: Run
    peers: Run


def measure(*, warm_up_s: float, seconds: float) -> Turn:
    """Raises BenchFailed where there is no Java or no Maven, or no firnline-native."""
    if native().module is None:
        raise BenchFailed(f"firnline-native is not used: {native().why_not}. Build it with scripts/native.")
    classes = built()
    warm_up_s = max(warm_up_s, WARM_UP_S)
    return Turn(
        engine_run(warm_up_s=warm_up_s, seconds=seconds),
        engine_run(warm_up_s=warm_up_s, seconds=seconds, is_native=False),
        _peer_run(classes, warm_up_s=warm_up_s, seconds=seconds),
    )


def figures(turns: Sequence[Turn]) -> list[Figure]:
    """Ratios are of one turn."""

    def figure(name: str, unit: str, of: Callable[[Turn], float], bar: Bar | None = None) -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=[of(turn) for turn in turns], bar=bar)

    return [
        figure("firnline, with firnline-native", "CPU s/GB", lambda turn: turn.ours.cpu_ms_per_mb()),
        figure("in Python alone", "CPU s/GB", lambda turn: turn.in_python.cpu_ms_per_mb()),
        figure("KCL, Jackson, Snowflake's SDK for Java: the peer", "CPU s/GB", lambda turn: turn.peers.cpu_ms_per_mb()),
        figure("CPU, of the peer's with its JIT warm", "x", lambda turn: _cpu(turn.ours, turn), at_most(TARGET_CPU)),
        figure("  in Python alone", "x", lambda turn: _cpu(turn.in_python, turn)),
        figure(f"CPU, of the peer's in its first {WARM_UP_S:.0f} s", "x", _cold, at_most(TARGET_COLD_CPU)),
        figure("throughput of firnline", "MB/s", lambda turn: turn.ours.megabytes_per_s),
        figure("throughput of the peer", "MB/s", lambda turn: turn.peers.megabytes_per_s),
        figure("memory of firnline", "MB", lambda turn: turn.ours.tree_mb),
        figure("memory of the peer", "MB", lambda turn: turn.peers.tree_mb),
        figure("memory, of the peer's", "x", lambda turn: _memory(turn.ours, turn), at_most(TARGET_MEMORY)),
        figure("  in Python alone", "x", lambda turn: _memory(turn.in_python, turn)),
    ]


def _cpu(run: Run, turn: Turn) -> float:
    return run.cpu_ms_per_mb() / turn.peers.cpu_ms_per_mb()


def _cold(turn: Turn) -> float:
    """Both from their first rows on."""
    return turn.ours.first_ms_per_mb / turn.peers.first_ms_per_mb


def _memory(run: Run, turn: Turn) -> float:
    return run.tree_mb / turn.peers.tree_mb


def built() -> Path:
    """The folder with the peer's jar and the packages that it needs; built once for each state of its sources."""
    if missing := [name for name in ("java", "mvn", "keytool") if shutil.which(name) is None]:
        raise BenchFailed(f"The peer needs {', '.join(missing)}: install a JDK 17 and Maven.")
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in SOURCES)).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firnline"
    place, unfinished = cache / f"peer-{digest}", cache / f"peer-{digest}.{os.getpid()}"
    if place.is_dir():
        return place
    for name in SOURCES:
        (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HERE / name, unfinished / name)
    goals = ["package", "dependency:copy-dependencies", f"-DoutputDirectory={unfinished / 'target'}"]
    maven = subprocess.run(
        [shutil.which("mvn") or "mvn", "-q", "-B", *goals], cwd=unfinished, capture_output=True, text=True, check=False
    )
    if maven.returncode:
        shutil.rmtree(unfinished)
        raise BenchFailed(f"Maven could not build the peer: {maven.stdout[-1000:]}")
    unfinished.rename(place)
    return place


def _peer_run(classes: Path, *, warm_up_s: float, seconds: float) -> Run:
    served = Shards(count=SHARDS, records_per_s=RECORDS_PER_S, is_trickle=False)
    with World(served) as world:
        store = world.folder / "trusted"
        keytool = ["keytool", "-importcert", "-noprompt", "-alias", "bench", "-storepass", PASSWORD]
        subprocess.run(
            [*keytool, "-file", str(world.ca_file), "-keystore", str(store)], check=True, capture_output=True
        )
        trust = [f"-Djavax.net.ssl.trustStore={store}", f"-Djavax.net.ssl.trustStorePassword={PASSWORD}"]
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        command = ["java", HEAP, *trust, quiet, "-cp", str(classes / "target" / "*"), "Peer"]
        sink = world.plain_snowflake()
        servers = {"KINESIS": world.kinesis, "DYNAMODB": world.aws, "SNOWFLAKE": sink}
        variables = servers | {
            "KEY": str(world.key_file),
            "SS_LOG_LEVEL": "error",
        }  # the engine has its SDK say no more
        with world.program(command, name="peer", **variables) as peer:
            return observed(peer, world, sink=sink, warm_up_s=warm_up_s, seconds=seconds)
