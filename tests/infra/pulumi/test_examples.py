"""The example in each component's docstring runs, and makes something."""

import doctest
import importlib
import inspect
from typing import Any, get_args

import pulumi
import pytest

from firnline_infra.pulumi.rendering import DefinedComponent
from tests.infra.pulumi.conftest import Deploy

MODULES = ("firnline_infra.pulumi.aws", "firnline_infra.pulumi.snowflake.landing")


def components_of(module: str) -> list[type[pulumi.ComponentResource]]:
    return [
        each
        for _, each in inspect.getmembers(importlib.import_module(module), inspect.isclass)
        if issubclass(each, pulumi.ComponentResource) and each.__module__ == module
    ]


COMPONENTS = [component for module in MODULES for component in components_of(module)]


def test_there_is_a_component_for_each_part() -> None:
    assert len(COMPONENTS) == 12


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component.__name__)
def test_the_example_of_a_component_runs(component: type[pulumi.ComponentResource], deploy: Deploy) -> None:
    module = importlib.import_module(component.__module__)
    (example,) = doctest.DocTestFinder(recurse=False).find(component, globs=dict(vars(module)))
    told: list[str] = []
    deployment = deploy(lambda: doctest.DocTestRunner().run(example, out=told.append))
    assert told == []
    assert deployment.made


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component.__name__)
def test_a_component_takes_a_name_the_blueprints_definition_and_options(
    component: type[pulumi.ComponentResource],
) -> None:
    parameters = inspect.signature(component).parameters
    assert list(parameters) == ["name", "args", "opts"]
    args = getattr(importlib.import_module(component.__module__), f"{component.__name__}Args")
    assert args.__module__.startswith("firnline_infra.blueprint.")
    if issubclass(component, DefinedComponent):
        described: Any = component
        (base,) = described.__orig_bases__
        assert get_args(base) == (args,)
    else:
        assert parameters["args"].annotation is args
