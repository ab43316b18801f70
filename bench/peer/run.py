"""The engine beside what a team would write: the Kinesis Client Library, Jackson, Snowflake's SDK for Java (Peer.java).

Both read the same canned stream of 16 shards by TLS, in turns. The peer writes to a canned Snowflake by plain HTTP, because
its SDK trusts its own roots alone: that is to its advantage. Its CPU is counted once its JIT is warm, as the engine's is after
its start. Needs Java and Maven, which fetches its packages once.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.errors import BenchFailed
from bench.figure import Figure, at_most
from bench.full_rate import RECORDS_PER_S, SHARDS, Run, engine_run, observed
from bench.world import Shards, World

PART = "peer"
TARGET_CPU, TARGET_MEMORY = 0.4, 0.4
WARM_UP_S = 30.0
SOURCES = ("pom.xml", "src/main/java/Peer.java")
HERE = Path(__file__).parent
HEAP = "-Xmx3g"
PASSWORD = "changeit"  # noqa: S105 - of a store of certificates that anybody may read


@dataclass(frozen=True)
class Pair:
    """The engine and the peer, one after the other."""

    ours: Run
    peers: Run


def measure(*, warm_up_s: float, seconds: float) -> Pair:
    """Raises BenchFailed where there is no Java or no Maven."""
    classes = built()
    ours = engine_run(warm_up_s=warm_up_s, seconds=seconds)
    return Pair(ours, _peer_run(classes, warm_up_s=max(warm_up_s, WARM_UP_S), seconds=seconds))


def figures(pairs: Sequence[Pair]) -> list[Figure]:
    def figure(name: str, unit: str, values: list[float], **more: object) -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=values, **more)  # type: ignore[arg-type]

    cpu = [pair.ours.cpu_ms_per_mb() / pair.peers.cpu_ms_per_mb() for pair in pairs]
    memory = [pair.ours.tree_mb / pair.peers.tree_mb for pair in pairs]
    return [
        figure("firnline", "CPU s/GB", [pair.ours.cpu_ms_per_mb() for pair in pairs]),
        figure("KCL, Jackson, Snowflake's SDK for Java", "CPU s/GB", [pair.peers.cpu_ms_per_mb() for pair in pairs]),
        figure("CPU of the peer's", "x", cpu, bar=at_most(TARGET_CPU)),
        figure("memory of firnline", "MB", [pair.ours.tree_mb for pair in pairs]),
        figure("memory of the peer", "MB", [pair.peers.tree_mb for pair in pairs]),
        figure("memory of the peer's", "x", memory, bar=at_most(TARGET_MEMORY)),
    ]


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
        variables = {"KINESIS": world.kinesis, "DYNAMODB": world.aws, "SNOWFLAKE": sink, "KEY": str(world.key_file)}
        with world.program(command, name="peer", **variables) as peer:
            return observed(peer, world, sink=sink, warm_up_s=warm_up_s, seconds=seconds)
