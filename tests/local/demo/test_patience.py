from pathlib import Path
from types import SimpleNamespace

import pytest

from firnline_local.cli.demo import demo_folder
from firnline_local.demo import story
from firnline_local.demo.story import Patience, reasons_of


def test_an_engine_that_progresses_is_waited_for_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr(story.time, "monotonic", lambda: now_s)
    patience = Patience()
    for line in range(100):
        now_s += 500.0
        assert not patience.is_over(line)
    now_s += story.PATIENCE_S + 1
    assert patience.is_over(99)


def test_dead_letters_are_counted_by_reason_the_commonest_first() -> None:
    letters = [SimpleNamespace(reason=reason) for reason in ("not-json", "duplicate-key", "duplicate-key")]
    assert reasons_of(letters) == "2 duplicate-key, 1 not-json"  # type: ignore[arg-type]


def test_the_folder_of_a_demo_that_fails_is_kept_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        with demo_folder(None) as place:
            (place / "engine.log").write_text("last words")
            raise RuntimeError(place)

    with pytest.raises(RuntimeError) as failed:
        fails()
    (place,) = failed.value.args
    assert str(place) in capsys.readouterr().err
    assert (place / "engine.log").read_text() == "last words"
    (place / "engine.log").unlink()
    place.rmdir()


def test_the_folder_of_one_that_ends_goes_and_a_named_one_stays(tmp_path: Path) -> None:
    with demo_folder(None) as place:
        pass
    assert not place.exists()
    with demo_folder(tmp_path) as place:
        pass
    assert place == tmp_path
    assert tmp_path.exists()
