from dataclasses import dataclass

from firnline_infra.blueprint.definition import Definition


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
