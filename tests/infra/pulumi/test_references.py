from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.pulumi.references import as_input, as_output, either, resolved

KEY, STREAM = Reference("key"), Reference("stream/orders")


@dataclass(frozen=True)
class Inner:
    value: Value


@dataclass(frozen=True)
class Outer:
    inner: Inner
    many: tuple[Value, ...] = ()
    named: Mapping[str, Value] = field(default_factory=dict)


def test_a_reference_is_replaced_wherever_it_is() -> None:
    definition = Outer(Inner(KEY), many=("plain", STREAM), named={"key": KEY})
    made = {KEY: "arn-of-key", STREAM: "arn-of-stream"}
    assert resolved(definition, made.__getitem__) == Outer(
        Inner("arn-of-key"), many=("plain", "arn-of-stream"), named={"key": "arn-of-key"}
    )


def test_a_reference_to_what_was_not_made_is_an_error() -> None:
    with pytest.raises(KeyError):
        resolved(Inner(KEY), {}.__getitem__)


def test_what_was_made_here_goes_before_what_was_made_elsewhere() -> None:
    lookup = either({KEY: "here"}, {KEY: "there", STREAM: "there"}.__getitem__)
    assert (lookup(KEY), lookup(STREAM)) == ("here", "there")


def test_another_stack_finds_a_reference_by_its_text() -> None:
    assert as_output({KEY: "k", Reference("bucket", "name"): "b"}) == {"${bucket.name}": "b", "${key.arn}": "k"}


def test_a_reference_that_nobody_resolved_never_becomes_an_input() -> None:
    assert (as_input("plain"), as_input(None)) == ("plain", None)
    with pytest.raises(TypeError, match=r"\$\{key\.arn\} was not resolved"):
        as_input(KEY)
