"""Every error id has one error, and one entry in the runbook."""

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import bench
import firnline_infra
import firnline_ingest
import firnline_local
from firnline_ingest.errors import FirnlineError

PACKAGES = (bench, firnline_ingest, firnline_infra, firnline_local)
SHIPPED = tuple(f"{package.__name__}." for package in PACKAGES)
RUNBOOK = Path(__file__).parents[1] / "docs" / "runbook.md"


def every_error() -> Iterator[type[FirnlineError]]:
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    found = [FirnlineError]
    for error in found:
        found += [derived for derived in error.__subclasses__() if derived not in found]
    return (error for error in found if error.__module__.startswith(SHIPPED))


def ids() -> dict[str, list[str]]:
    found = defaultdict(list)
    for error in every_error():
        if "id" in vars(error):
            found[error.id].append(error.__name__)
    return dict(found)


def test_no_two_errors_share_an_id() -> None:
    assert {id_: names for id_, names in ids().items() if len(names) > 1} == {}


def test_the_runbook_has_every_error_under_its_id_and_no_other() -> None:
    entries = dict(re.findall(r"^\| (FL-\d{4}) \| (\w+) \|", RUNBOOK.read_text(), re.MULTILINE))
    assert entries == {id_: names[0] for id_, names in ids().items()}


def test_an_error_that_crosses_processes_is_the_same_there() -> None:
    import pickle

    from firnline_ingest.kinesis.errors import StreamMissing

    error = pickle.loads(pickle.dumps(StreamMissing("orders")))
    assert isinstance(error, StreamMissing)
    assert str(error) == str(StreamMissing("orders"))
    assert (error.id, error.is_retryable) == ("FL-2001", False)
