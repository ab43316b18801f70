from collections import namedtuple
from pathlib import Path

import pytest

from firnline_ingest.spark import machine
from firnline_ingest.spark.machine import FolderUnusable, check_folder, make_folder

Usage = namedtuple("Usage", "total used free")


def test_a_folder_that_can_be_made_is_good_and_is_not_made(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


def test_the_engine_makes_it(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_below_a_file_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    for look in (check_folder, make_folder):
        with pytest.raises(FolderUnusable):
            look(tmp_path / "a" / "b")


def test_a_folder_that_nobody_may_write_names_the_one_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "access", lambda path, _: path != tmp_path)  # root may write everywhere
    with pytest.raises(FolderUnusable, match=f"{tmp_path} is not writable"):
        check_folder(tmp_path / "a")
    with pytest.raises(FolderUnusable, match="it is not writable"):
        check_folder(tmp_path)


def test_a_folder_that_would_soon_be_full_is_no_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: Usage(2**30, 2**30, 2**20))
    with pytest.raises(FolderUnusable, match="1 MiB are free, 200 are needed"):
        check_folder(tmp_path / "a")
