"""Tests of what a program may import from the package's root: all of it is there, and nothing else is promised."""

import ast
import inspect
import subprocess
import sys

import pytest

import firnline_ingest
from firnline_ingest import errors


def test_what_is_promised_is_in_order_and_said_once() -> None:
    assert firnline_ingest.__all__ == sorted(set(firnline_ingest.__all__))


@pytest.mark.parametrize("name", firnline_ingest.__all__)
def test_a_promised_name_is_there_and_documented(name: str) -> None:
    member = getattr(firnline_ingest, name)
    assert member.__module__.startswith("firnline_ingest.")
    assert inspect.getdoc(member)
    assert name in dir(firnline_ingest)


def test_type_checkers_see_what_is_promised() -> None:
    tree = ast.parse(inspect.getsource(firnline_ingest))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = [alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(seen) == firnline_ingest.__all__


def test_every_branch_of_the_tree_of_errors_is_promised() -> None:
    branches = {name for name in errors.__all__ if inspect.isclass(getattr(errors, name))}
    assert branches <= set(firnline_ingest.__all__)


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'SdkChannels'"):
        firnline_ingest.SdkChannels  # noqa: B018 - asking is what is tested


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, firnline_ingest; print([name for name in sys.modules if name.startswith('firnline_ingest.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
