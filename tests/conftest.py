"""Fixtures of every tier: the real embedded environment, started once, when the first test asks for it."""

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from firnline_ingest.snowflake.packages import make_importable
from tests.long_first import LONG, LONG_FILES, long_first
from tests.once import once
from tests.processes import reap_what_is_started_from_now_on
from tests.spark.prepared import use_archive
from tests.stack_of_a_run import know_the_modules_of_this_stack

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment
    from tests.kubernetes.control_plane import ControlPlane

# No test is timed: how long an example takes says more about the machine than about the code.
settings.register_profile("firnline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("firnline")

# No test meets an account: whoever looks for credentials finds these, whatever the machine has. Unless `scripts/live` says which
# table of the account's own it may use, and runs that one file.
if "FIRNLINE_LIVE_TABLE" not in os.environ:
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for variable in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        os.environ.pop(variable, None)

# pytest-xdist says how wide its workers' terminal is; in a pipe a table is as wide as its rows.
os.environ.pop("COLUMNS", None)

# A shell has Ctrl-C ignored for what it runs in the background, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Test runs hold on to nearly all that they make: looking for garbage as often as a program does costs a tenth of their time.
gc.set_threshold(50_000, 20, 50)

# Tests import the real SDK themselves.
make_importable()

# jsonschema prepares 38 grammars of IRIs when it is imported, for a second: no schema here asks for them (an extra of its own).
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type] # so Python knows a module that is not to be had

# Each start of Spark reads and checks thousands of classes, which an archive has.
use_archive()

# The connector asks for the whole stack at each login, to name the file at its bottom (`get_application_path`).
know_the_modules_of_this_stack()

# No test leaves a process behind, not even one that is killed.
reap_what_is_started_from_now_on()

ROOT = Path(__file__).parents[1]
pytest_plugins = ("tests.sql.recording", "tests.tiers", "tests.changed")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """After pytest-randomly, whose order stays among the long ones and among the others, and of what is left to run."""
    yield
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = long_first(items, workers, is_long, fixture_of_module)


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: no search for garbage looks at them again, the five at the end least of all."""
    gc.freeze()


def is_long(item: pytest.Item) -> bool:
    return item.nodeid.partition("::")[0] in LONG_FILES or any(mark.name in LONG for mark in item.iter_markers())


def fixture_of_module(item: pytest.Item) -> str | None:
    """The module, where the test uses something that is made once for all tests of it."""
    used = getattr(item, "_fixtureinfo", None)
    scopes = (
        {each.scope for name in used.names_closure for each in used.name2fixturedefs.get(name, ())} if used else set()
    )
    return item.nodeid.partition("::")[0] if "module" in scopes else None


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes that nobody can read are named by their argument.

    Packed ones hold the second they were packed in: workers that import a file in two seconds would collect different tests.
    """
    return argname if isinstance(val, bytes) and not (val.isascii() and val.decode().isprintable()) else None


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """A test that runs what configures the logs leaves them to the next as pytest knows them.

    `caplog` attaches itself to the root logger and to each logger that does not propagate: a logger that changes between
    two tests gives the later one each line twice, or none.
    """
    ours = logging.getLogger("firnline_ingest")
    before = (ours.handlers[:], ours.propagate, ours.level)
    yield
    ours.handlers[:], ours.propagate, ours.level = before


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """pytest's own, without what threads of earlier tests still say."""
    earlier = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]

    def is_of_this_test(record: logging.LogRecord) -> bool:
        return not any(thread.ident == record.thread and thread.is_alive() for thread in earlier)

    caplog.handler.addFilter(is_of_this_test)
    yield caplog
    caplog.handler.removeFilter(is_of_this_test)


@pytest.fixture(scope="session")
def local_environment(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[RunningEnvironment]":
    """Shared by all tests: one that changes something makes streams and tables of its own, and removes its faults.

    Its AWS servers note every call, and enforce policies where they are asked to (tests/iam).
    """
    from firnline_infra.specification import load_spec
    from firnline_local.environment import LocalEnvironment
    from tests.iam.running import MODULES

    folder = tmp_path_factory.mktemp("local") / "environment"
    spec = load_spec(ROOT / "stacks" / "environments" / "local.yaml")
    with LocalEnvironment(folder, spec, modules=MODULES, commit_lag_ms=20) as environment:
        yield environment


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[ControlPlane]":
    """The real API server of Kubernetes, with the operators' definitions. All processes of a run share it: a
    test makes a namespace of its own (tests.kubernetes.definitions.name_of_own)."""
    from tests.kubernetes.collector import Collector
    from tests.kubernetes.control_plane import ControlPlane, provided
    from tests.kubernetes.definitions import define

    if not (provided() / "kube-apiserver").exists():
        assert os.environ.get("CI") != "true", "CI has no kube-apiserver: scripts/kubernetes-api builds it."
        pytest.skip("there is no kube-apiserver: scripts/kubernetes-api builds it (Go)")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "control-plane"
    with ControlPlane(provided(), folder, define) as plane, Collector(plane.api("admin")):
        yield plane


@pytest.fixture(scope="session")
def dynalite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of another people's DynamoDB; the test is skipped where it is not provided (tests/foreign)."""
    from tests.foreign.servers import DYNALITE, running

    with running(DYNALITE, tmp_path_factory.mktemp("dynalite")) as url:
        yield url


@pytest.fixture(scope="session")
def versitygw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of another people's S3; the test is skipped where it is not provided."""
    from tests.foreign.servers import VERSITYGW, running

    with running(VERSITYGW, tmp_path_factory.mktemp("versitygw")) as url:
        yield url


@pytest.fixture(scope="session")
def s3a_jars() -> Path:
    """Returns the jars for the Hadoop of the Spark at hand; fetched once for all clones of a user, and checked each time."""
    import pyspark

    from firnline_infra.s3a import JarsUnreachable, hadoop_of, provide

    hadoop = hadoop_of(Path(pyspark.__file__).parent / "jars")
    assert hadoop is not None
    try:
        return provide(hadoop)
    except JarsUnreachable as unreachable:
        pytest.skip(str(unreachable))


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """All four, by the folder that each is built from (`.` is the product's name alone); the build backend is of our own
    environment, so nothing is fetched."""
    folders = {house: house.replace(".", "firnline") for house in ("ingest", "infra", "local", ".")}

    def build(whole: Path) -> None:
        for house, name in folders.items():
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(whole / name)]
            subprocess.run(command, cwd=ROOT / house, check=True, capture_output=True)

    whole = once(tmp_path_factory, "wheels", build)
    return {house: wheel for house, name in folders.items() for wheel in (whole / name).glob("*.whl")}
