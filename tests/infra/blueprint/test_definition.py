from dataclasses import dataclass, field, replace

import pytest

from firnline_infra.specification.definition import Definition, part


@dataclass(frozen=True)
class Usual:
    name: str
    inner: object = None


@dataclass(frozen=True, repr=False, eq=False)
class Part(Definition):
    name: str
    inner: object = None


def test_it_shows_its_fields_as_a_dataclass_does() -> None:
    for each in (("it's",), ("outer", Usual("inner"))):
        assert repr(Part(*each)).removeprefix("Part") == repr(Usual(*each)).removeprefix("Usual")
    assert repr(Part("outer", Part("inner"))) == "Part(name='outer', inner=Part(name='inner', inner=None))"


def test_it_compares_and_hashes_as_a_dataclass_does() -> None:
    one, same, other = Part("a", 1), Part("a", 1), Part("a", 2)
    assert (one == same, one == other, one == Usual("a", 1)) == (True, False, False)
    assert len({one, same, other}) == 2


def test_every_one_of_them_leaves_it_to_the_one_method() -> None:
    for kind in Definition.__subclasses__():
        assert (kind.__repr__, kind.__eq__, kind.__hash__) == (
            Definition.__repr__,
            Definition.__eq__,
            Definition.__hash__,
        ), kind


@part
class Made(Definition):
    name: str
    inner: object = None
    values: list[str] = field(default_factory=list)


def test_it_is_made_of_its_fields_by_name() -> None:
    one, other = Made(name="a"), Made(name="a", inner=1)
    assert (one.name, one.inner, one.values, other.inner) == ("a", None, [], 1)
    assert one.values is not other.values
    assert replace(other, name="b") == Made(name="b", inner=1)


@pytest.mark.parametrize(
    ("given", "why"), [({}, "Made needs name"), ({"name": "a", "colour": 1, "size": 2}, "Made has no colour, size")]
)
def test_a_field_that_is_lacking_or_unknown_is_refused(given: dict[str, object], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        Made(**given)  # type: ignore[arg-type] # that is what is tried
