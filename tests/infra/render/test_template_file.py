"""Slots of a template file are filled, each quoted for the place that it stands in."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firnline_infra.render.template_file import filled


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / "slots_of_a_test" / "files"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "job.yaml").write_text(
        "## for whoever reads this\na: @A|yaml@\nb: [@B|github@]\nuses: x@08c6 # @C|shell@\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield folder.parent.name
    sys.modules.pop("slots_of_a_test", None)


def test_a_value_is_quoted_as_its_slot_says_and_is_no_template_itself(package: str) -> None:
    slots = {"A": "it's @B@", "B": ["on", "${{ x"], "C": "a b"}
    assert filled(package, "job.yaml", slots) == (
        "a: 'it''s @B@'\nb: ['on', '${{ ''${{'' }} x']\nuses: x@08c6 # 'a b'\n"
    )


@pytest.mark.parametrize("slots", [{"A": "", "B": ""}, {"A": "", "B": "", "C": "", "D": ""}])
def test_each_slot_has_a_value_and_each_value_a_slot(package: str, slots: dict[str, str]) -> None:
    with pytest.raises(KeyError):
        filled(package, "job.yaml", slots)
