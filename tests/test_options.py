"""Every option of the engine, the specification and the sink is read by code: one that nothing obeys is refused."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from pydantic import BaseModel, Field, create_model

from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.sink.options import SinkOptions
from tests.mutants import sections

ROOT = Path(__file__).parents[1]
OBEYING = (*ROOT.glob("ingest/firnline_ingest/**/*.py"), *ROOT.glob("infra/firnline_infra/**/*.py"))


def names_read(tree: ast.AST) -> Iterator[str]:
    """The names behind a dot whose value is taken, and those by which options are looked up: texts that are a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


@cache
def read() -> set[str]:
    """Parses a thousand files: once, and not while tests are collected."""
    return {name for path in OBEYING for name in names_read(ast.parse(path.read_text()))}


def unread(*models: type[BaseModel]) -> set[str]:
    found = {section for model in models for section in sections(model)}
    return {f"{section.__name__}.{name}" for section in found for name in section.model_fields if name not in read()}


@pytest.mark.parametrize("model", [EngineConfig, EnvironmentSpec])
def test_every_option_is_read_by_code(model: type[BaseModel]) -> None:
    assert unread(model) == set(), "an option that no code reads: obey it, or leave it out"


def test_every_option_of_the_sink_is_read_by_code() -> None:
    assert {each.name for each in fields(SinkOptions)} - read() == set()


def test_an_option_that_nothing_obeys_is_found() -> None:
    inner = create_model("Inner", never_obeyed=(int, Field(1)), stream=(str, Field("s")))
    outer = create_model("Outer", inner=(inner, Field(None)))
    assert {"Inner.never_obeyed"} <= unread(outer)
    assert "Inner.stream" not in unread(outer)
