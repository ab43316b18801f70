"""The extra that is named brings the module, as our pyproject files say."""

import re
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from firnline_infra.cli.extras import EXTRA_OF, missing_extra

ROOT = Path(__file__).parents[3]
BROUGHT_BY = {"botocore": "boto3", "grpc": "pulumi"}
"""Modules of what another package brings, that our code imports by themselves."""


def brought_by(extra: str) -> set[str]:
    """The packages of `name[extra]`, with those of the extras that it contains."""
    name, _, wanted = extra.removesuffix("]").partition("[")
    project = tomllib.loads((ROOT / name.removeprefix("firnline-") / "pyproject.toml").read_text())["project"]
    found: set[str] = set()
    for requirement in project["optional-dependencies"][wanted]:
        package, extras = re.match(r"([\w.-]+)(?:\[(.+?)\])?", requirement).groups()
        inner = [f"{package}[{each}]" for each in (extras or "").split(",") if package == name]
        found |= set().union(*map(brought_by, inner)) if inner else {package}
    return found


installed = cache(packages_distributions)
"""Reads the lists of files of all packages."""


def modules_of(packages: set[str]) -> set[str]:
    """A package may say its own name in either spelling."""
    spelled = {package.replace("_", "-") for package in packages}
    return {
        module
        for module, whose in installed().items()
        if spelled & {each.replace("_", "-") for each in whose} and not module.startswith("_")
    }


@pytest.mark.parametrize("module", EXTRA_OF)
def test_the_extra_that_is_named_brings_the_module(module: str) -> None:
    assert modules_of(brought_by(EXTRA_OF[module])) >= {BROUGHT_BY.get(module, module)}


def test_every_package_that_an_extra_brings_is_known() -> None:
    everything = brought_by("firnline-infra[deploy]") | brought_by("firnline-ingest[spark]")
    unused = {"adbc_driver_duckdb"}
    assert modules_of(everything) - unused <= EXTRA_OF.keys()


@pytest.mark.parametrize("module", ["cryptography", "pulumi", "pulumi_aws", "pulumi_snowflake"])
def test_whoever_deploys_is_told_of_one_extra_with_everything(module: str) -> None:
    error = missing_extra(ModuleNotFoundError(name=f"{module}.inner"))
    assert error is not None
    assert module in error.what
    assert error.next_step.endswith("pip install 'firnline-infra[deploy]'")
    assert brought_by("firnline-infra[deploy]") >= {"boto3", "snowflake-connector-python", "cryptography", "pulumi"}


def test_one_who_deploys_with_terraform_needs_no_pulumi() -> None:
    without = brought_by("firnline-infra[deploy]") - brought_by("firnline-infra[terraform]")
    assert without == {"pulumi", "pulumi-aws", "pulumi-snowflake"}


def test_a_module_of_no_extra_is_no_missing_extra() -> None:
    assert missing_extra(ModuleNotFoundError(name="firnline_infra.nowhere")) is None
    assert missing_extra(ModuleNotFoundError()) is None
