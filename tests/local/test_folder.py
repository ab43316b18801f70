from pathlib import Path

import pytest

from firnline_local.errors import FolderForeign, FolderInUse
from firnline_local.folder import Folder


def test_a_held_folder_is_known_to_be_held_until_it_is_let_go(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "env")
    assert not folder.is_held()
    with folder.held():
        assert Folder(tmp_path / "env").is_held()
    assert not folder.is_held()


def test_two_environments_cannot_share_a_folder(tmp_path: Path) -> None:
    with Folder(tmp_path / "env").held(), pytest.raises(FolderInUse, match=r"already runs in .*env"):
        Folder(tmp_path / "env").held().__enter__()


def test_a_start_begins_with_an_empty_engine_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "env")
    with folder.held():
        (folder.engine / "checkpoint").mkdir()
        (folder.logs / "kinesis.log").write_text("of the first")
    assert (folder.logs / "kinesis.log").exists()
    with folder.held():
        assert list(folder.engine.iterdir()) == []
        assert list(folder.logs.iterdir()) == []


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "engine" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("ten years of work")
    with pytest.raises(FolderForeign, match="not an embedded environment's"):
        Folder(tmp_path).held().__enter__()
    assert precious.exists()


def test_the_state_file_goes_with_the_environment_even_when_it_fails(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "env")

    def fail() -> None:
        with folder.held():
            folder.state.write_text("{}")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not folder.state.exists()
