import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from firnline_infra.stack.errors import PackagesTooOld
from firnline_infra.stack.versions import TESTED, check_packages, untested_packages


def test_what_is_installed_here_will_do() -> None:
    check_packages()


def test_every_package_that_is_too_old_or_missing_is_named() -> None:
    def installed(name: str) -> str:
        if name == "pulumi":
            raise PackageNotFoundError(name)
        return "7.51.0" if name == "pulumi-aws" else version(name)

    with pytest.raises(PackagesTooOld) as caught:
        check_packages(installed)
    assert "pulumi is missing, and 3.272 is wanted" in str(caught.value)
    assert "pulumi-aws is 7.51.0, and 7.51.1 is the oldest that will do" in str(caught.value)
    assert "pulumi-snowflake" not in caught.value.what


def test_versions_are_numbers_not_texts() -> None:
    check_packages(lambda name: {"pulumi": "3.1000.0", "pulumi-aws": "10.0.0", "pulumi-snowflake": "2.22.0"}[name])


def test_a_package_that_is_newer_than_the_tested_one_is_named_and_taken() -> None:
    def installed(name: str) -> str:
        return {"pulumi-aws": "7.99.0"}.get(name, TESTED[name])

    check_packages(installed)
    (line,) = untested_packages(installed)
    assert line.startswith("pulumi-aws 7.99.0 is newer than 7.51.1")


def test_the_tested_versions_are_those_of_the_lock_file() -> None:
    lock = tomllib.loads((Path(__file__).parents[3] / "uv.lock").read_text(encoding="utf-8"))
    locked = {package["name"]: package["version"] for package in lock["package"]}
    assert {name: locked[name] for name in TESTED} == TESTED
