"""Tests of what is pinned is what was tested, for every cluster; `scripts/check` sees to it that it is uv.lock's."""

import re
import tomllib
from functools import cache
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import parse_wheel_filename

from firnline_infra.artefact import target_of
from firnline_infra.artefact.contents import licence_of
from firnline_infra.artefact.lock import EXTRAS, locked, pins_of
from firnline_infra.artefact.of_specification import target_of_specification
from firnline_infra.artefact.target import ARCHITECTURES, PYTHONS
from tests.infra.specifications import smallest

ROOT = Path(__file__).parents[3]
FINE = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0", "Unlicense"}
NEVER = re.compile(r"pyspark|py4j|moto|duckdb|pulumi|pytest|hypothesis|firnline|click|hatchling|pip$|grpcio|starlette")


@cache
def uv_lock() -> dict[str, dict[str, Any]]:
    document = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    return {package["name"]: package for package in document["package"]}


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_pin_has_a_wheel_that_runs_there(python: str, architecture: str) -> None:
    target = target_of(python=python, architecture=architecture, spark="4.1.1")
    tags = set(target.tags())
    for pin in pins_of(locked(EXTRAS), target):
        package = uv_lock()[pin.name]
        assert package["version"] == pin.version
        found = {wheel["url"].rpartition("/")[2]: wheel["hash"].removeprefix("sha256:") for wheel in package["wheels"]}
        running = [name for name in found if parse_wheel_filename(name)[3] & tags]
        assert running, f"{pin} on {target}"
        assert {found[name] for name in running} <= pin.hashes


def test_nothing_of_the_cluster_of_tests_or_of_infrastructure_is_pinned() -> None:
    names = {
        pin.name for pin in pins_of(locked(EXTRAS), target_of(python="3.13", architecture="x86_64", spark="4.1.1"))
    }
    assert {"boto3", "snowpipe-streaming", "snowflake-connector-python", "msgspec", "pyarrow"} <= names
    assert [name for name in names if NEVER.match(name)] == []


def test_what_is_pinned_is_what_these_tests_run_with() -> None:
    target = target_of(python="3.11", architecture="x86_64", spark="4.1.1")
    assert {pin.name: pin.version for pin in pins_of(locked(EXTRAS), target)} == {
        pin.name: version(pin.name) for pin in pins_of(locked(EXTRAS), target)
    }


def test_markers_are_asked_about_the_cluster_and_not_about_this_machine() -> None:
    lock = 'old==1 ; python_full_version < "3.12"\nnew==1 ; platform_machine == "aarch64"\n'
    older = target_of(python="3.11", architecture="x86_64", spark="4.1.1")
    newer = target_of(python="3.13", architecture="aarch64", spark="4.1.1")
    assert [pin.name for pin in pins_of(lock, older)] == ["old"]
    assert [pin.name for pin in pins_of(lock, newer)] == ["new"]


def test_every_licence_is_one_that_we_may_ship_and_is_told() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| ([\w-]+) \| ([^|]+) \|$", page, re.MULTILINE))
    del told["package"]
    pins = pins_of(locked(EXTRAS), target_of(python="3.13", architecture="x86_64", spark="4.1.1"))
    packages = [distribution(pin.name) for pin in pins]
    assert told == {package.name: licence_of(package.metadata) for package in packages}
    assert {choice for licence in told.values() for choice in re.split(" OR | AND ", licence)} <= FINE


@pytest.mark.parametrize(
    ("metrics", "brought"),
    [
        ({}, set()),
        ({"prometheus": {}}, {"prometheus-client"}),
        ({"opentelemetry": {"endpoint": "https://collector.example.com/v1/metrics"}}, {"opentelemetry-sdk"}),
    ],
)
def test_an_archive_has_what_its_configuration_publishes_metrics_with_and_nothing_else(
    metrics: dict[str, Any], brought: set[str]
) -> None:
    target = target_of_specification(smallest(metrics=metrics))
    names = {pin.name for pin in pins_of(locked(target.extras), target)}
    assert names & {"prometheus-client", "opentelemetry-sdk", "snowflake-ingest"} == brought
    assert {pin.name for pin in pins_of(locked(), target)} <= names


def test_an_archive_has_what_loads_files_where_its_engine_does_so() -> None:
    pipeline = {"stream": "orders", "database": "lake", "schema": "raw", "file_replay": True, "oversize_rows": "file"}
    target = target_of_specification(smallest(pipelines=[pipeline], metrics={"prometheus": {}}))
    assert target.extras == ("files", "prometheus")
    assert "snowflake-ingest" in {pin.name for pin in pins_of(locked(target.extras), target)}
