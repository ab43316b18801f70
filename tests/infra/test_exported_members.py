"""Tests of what firnline_infra promises."""

import subprocess
import sys
from types import ModuleType

import pytest

import firnline_infra
import firnline_infra.pulumi
import firnline_infra.pulumi.aws
import firnline_infra.pulumi.snowflake


def test_every_promised_name_is_there_and_nothing_else_is_promised() -> None:
    assert firnline_infra.__all__ == ["Blueprint", "EnvironmentSpec", "blueprint_of", "load_spec", "parse_spec"]
    for name in firnline_infra.__all__:
        assert getattr(firnline_infra, name).__name__ == name
        assert name in dir(firnline_infra)
    with pytest.raises(AttributeError, match="no attribute 'load_specification'"):
        firnline_infra.load_specification  # noqa: B018


def test_a_program_gets_its_words_from_one_place() -> None:
    layers, between = {"environment", "foundation", "warehouse", "runtime"}, {"as_output", "either", "from_stacks"}
    first = {"aws_provider", "providers", "resolved", "specification"}
    assert set(firnline_infra.pulumi.__all__) == layers | between | first


@pytest.mark.parametrize("module", [firnline_infra.pulumi, firnline_infra.pulumi.aws, firnline_infra.pulumi.snowflake])
def test_what_a_module_promises_is_in_it_and_sorted(module: ModuleType) -> None:
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert hasattr(module, name)


def test_each_component_is_promised_with_its_arguments() -> None:
    for module in (firnline_infra.pulumi.aws, firnline_infra.pulumi.snowflake):
        components = {name for name in module.__all__ if not name.endswith("Args")}
        assert set(module.__all__) == components | {f"{name}Args" for name in components}


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, firnline_infra; print([name for name in sys.modules if name.startswith('firnline_infra.')])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
