from dataclasses import dataclass

from firnline_infra.blueprint.shown import Shown


@dataclass(frozen=True)
class Usual:
    name: str
    inner: object = None


@dataclass(frozen=True, repr=False)
class Part(Shown):
    name: str
    inner: object = None


def test_it_shows_its_fields_as_a_dataclass_does() -> None:
    for each in (("it's",), ("outer", Usual("inner"))):
        assert repr(Part(*each)).removeprefix("Part") == repr(Usual(*each)).removeprefix("Usual")
    assert repr(Part("outer", Part("inner"))) == "Part(name='outer', inner=Part(name='inner', inner=None))"
