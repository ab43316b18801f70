import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.dead_letters import DeadLetter, DeadLetterKey, DeadLetterStore, LocalFolder
from firnline_ingest.dead_letters.errors import DeadLetterUnreadable, DeadLetterUnwritable, UnknownDeadLetter
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import ShardKey

SHARD = ShardKey("orders", 1_700_000_000_000, "shardId-000000000000")


def letter(number: int, *, shard: ShardKey = SHARD, data: bytes = b"no", detail: str = "x") -> DeadLetter:
    record = Record(str(number), data, "p", 1763725995.123)
    return DeadLetter.of(RejectedRecord(0, RejectReason.NOT_JSON, detail), record, shard)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def folder_of(root: Path) -> Path:
    return root / "orders@1700000000000" / "shardId-000000000000"


def test_what_is_put_can_be_got_and_listed(tmp_path: Path) -> None:
    store: DeadLetterStore = LocalFolder(tmp_path / "letters")
    one, other = letter(1, data=bytes(range(256))), letter(2, data=b"")
    assert store.put([one, other]) == 2
    assert store.get(one.key) == one
    assert store.get(other.key).data == b""
    assert list(store.list()) == [one, other]


def test_the_list_is_by_stream_shard_and_position_as_numbers(tmp_path: Path) -> None:
    other = ShardKey("orders", 1_700_000_000_000, "shardId-000000000001")
    earlier = ShardKey("events", 1_800_000_000_000, "shardId-000000000009")
    order = [letter(5, shard=earlier), letter(9), letter(10), letter(100), letter(2, shard=other)]
    LocalFolder(tmp_path).put(order[::-1])
    assert list(LocalFolder(tmp_path).list()) == order


def test_incarnations_of_a_stream_are_kept_apart(tmp_path: Path) -> None:
    again = ShardKey("orders", 1_800_000_000_000, SHARD.shard_id)
    store = LocalFolder(tmp_path)
    assert store.put([letter(1), letter(1, shard=again)]) == 2
    assert len(list(store.list())) == 2


def test_putting_again_changes_nothing_and_counts_nothing(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    store.put([letter(1), letter(2)])
    before = files(tmp_path)
    assert LocalFolder(tmp_path).put([letter(2), letter(1)]) == 0
    assert files(tmp_path) == before


def test_a_letter_that_a_later_version_explains_otherwise_stays_as_it_was(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    store.put([letter(1, detail="the first words")])
    assert store.put([letter(1, detail="better words"), letter(2)]) == 1
    assert store.get(letter(1).key).detail == "the first words"


def test_one_key_twice_in_a_page_is_one_letter(tmp_path: Path) -> None:
    assert LocalFolder(tmp_path).put([letter(1), letter(1)]) == 1


@given(cuts=st.lists(st.integers(0, 9), max_size=4))
def test_however_a_restart_cuts_its_pages_the_files_are_the_same(
    cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    letters = [letter(number) for number in range(10)]
    whole, pieces = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("pieces")
    LocalFolder(whole).put(letters)
    store = LocalFolder(pieces)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), 10], strict=True):
        store.put(letters[max(0, start - 2) : end])
    assert files(pieces) == files(whole)


def test_a_page_of_many_letters_is_put_with_few_files_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_now, most = set[int](), 0
    real_open, real_close = os.open, os.close

    def counting_open(*args: object, **kwargs: object) -> int:
        nonlocal most
        descriptor = real_open(*args, **kwargs)
        open_now.add(descriptor)
        most = max(most, len(open_now))
        return descriptor

    def counting_close(descriptor: int) -> None:
        open_now.discard(descriptor)
        real_close(descriptor)

    monkeypatch.setattr(os, "open", counting_open)
    monkeypatch.setattr(os, "close", counting_close)
    assert LocalFolder(tmp_path).put([letter(number) for number in range(300)]) == 300
    assert most <= 65
    assert not open_now


class Disk:
    """Watches what is synced and renamed, in order, and fails where it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[tuple[str, str]] = []
        self.fail: Callable[[str, str], BaseException | None] = lambda step, name: None
        real_sync, real_replace = os.fsync, Path.replace

        def sync(descriptor: int) -> None:
            self._step("sync", Path(f"/proc/self/fd/{descriptor}").readlink().name)
            real_sync(descriptor)

        def replace(path: Path, target: Path) -> Path:
            self._step("rename", target.name)
            return real_replace(path, target)

        monkeypatch.setattr(os, "fsync", sync)
        monkeypatch.setattr(Path, "replace", replace)

    def _step(self, step: str, name: str) -> None:
        self.steps.append((step, name))
        if error := self.fail(step, name):
            raise error


@pytest.fixture
def store(tmp_path: Path) -> LocalFolder:
    """A store that has one letter."""
    store = LocalFolder(tmp_path)
    store.put([letter(1)])
    return store


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_a_letter_is_synced_before_it_appears_and_its_folder_after(tmp_path: Path, disk: Disk) -> None:
    store = LocalFolder(tmp_path / "letters")
    store.put([letter(1)])
    *folders, content, appears, folder = disk.steps
    assert {("sync", "letters"), ("sync", "orders@1700000000000")} <= set(folders)
    assert content[0] == "sync"
    assert content[1].startswith(f".{appears[1]}.")
    assert appears == ("rename", "100000000000000000000.parse.json")
    assert folder == ("sync", "shardId-000000000000")


def test_a_letter_that_was_there_already_is_made_to_last_too(store: LocalFolder, disk: Disk) -> None:
    disk.steps.clear()
    store.put([letter(1)])
    assert disk.steps == [("sync", "shardId-000000000000")]


@pytest.mark.parametrize("step", ["sync", "rename"])
def test_a_full_disk_stops_the_shard_and_leaves_no_half_letter(
    tmp_path: Path, store: LocalFolder, disk: Disk, step: str
) -> None:

    def full_at_the_third(now: str, name: str) -> OSError | None:
        is_letter = now == step and "300000000000000000000.parse.json" in name
        return OSError(errno.ENOSPC, "No space left on device") if is_letter else None

    disk.fail = full_at_the_third
    with pytest.raises(DeadLetterUnwritable, match="No space left on device") as raised:
        store.put([letter(2), letter(3), letter(4)])
    assert raised.value.id == "FL-4001"
    assert not raised.value.is_retryable
    assert not list(tmp_path.rglob(".*"))
    assert {one.sequence_number for one in store.list()} <= {"1", "2"}

    disk.fail = lambda step, name: None
    store.put([letter(2), letter(3), letter(4)])
    assert [one.sequence_number for one in store.list()] == ["1", "2", "3", "4"]


def test_a_folder_that_can_t_be_made_stops_the_shard(tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("a file is in the way")
    with pytest.raises(DeadLetterUnwritable, match="dead letter could not be written to"):
        LocalFolder(tmp_path / "letters").put([letter(1)])


def test_a_folder_that_somebody_cleared_is_made_again(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path / "letters")
    store.put([letter(1)])
    shutil.rmtree(tmp_path / "letters")
    assert store.put([letter(2)]) == 1
    assert list(store.list()) == [letter(2)]


def test_a_draft_that_a_kill_left_behind_is_no_letter(tmp_path: Path, store: LocalFolder) -> None:
    (folder_of(tmp_path) / ".200000000000000000000.parse.json.abc").write_bytes(b'{"version":1,')
    assert [one.sequence_number for one in store.list()] == ["1"]


def test_several_engines_may_put_the_same_letters_at_once(tmp_path: Path) -> None:
    letters = [letter(number) for number in range(100)]
    stores = [LocalFolder(tmp_path) for _ in range(4)]
    threads = [threading.Thread(target=store.put, args=(letters,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert list(LocalFolder(tmp_path).list()) == letters
    assert not list(tmp_path.rglob(".*"))


def test_a_folder_that_does_not_exist_holds_no_letters(tmp_path: Path) -> None:
    assert list(LocalFolder(tmp_path / "nowhere").list()) == []


def test_a_letter_that_is_not_there_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownDeadLetter, match="dead-letters list shows the keys"):
        LocalFolder(tmp_path).get(letter(1).key)


def test_a_file_that_is_no_letter_is_named(tmp_path: Path, store: LocalFolder) -> None:
    (path,) = folder_of(tmp_path).iterdir()
    path.write_bytes(b'{"version":1,"stream":"or')
    with pytest.raises(DeadLetterUnreadable, match=path.name):
        list(store.list())


def test_a_letter_under_another_ones_name_is_refused(tmp_path: Path, store: LocalFolder) -> None:
    (path,) = folder_of(tmp_path).iterdir()
    path.rename(path.with_name("2" + path.name[1:]))
    with pytest.raises(DeadLetterUnreadable, match="it holds the dead letter orders@1700000000000/"):
        store.get(letter(2).key)


def test_files_can_be_read_by_anything_that_reads_json(tmp_path: Path) -> None:
    LocalFolder(tmp_path).put([letter(1)])
    (name,) = files(tmp_path)
    assert name == "orders@1700000000000/shardId-000000000000/100000000000000000000.parse.json"
    assert json.loads(files(tmp_path)[name])["data"] == "bm8="


@pytest.mark.parametrize("name", ["..", ".", "a/../../b", "a b", "%2E", "ä"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    root = tmp_path / "letters"
    for shard in (ShardKey(name, 1, "shardId-0"), ShardKey("orders", 1, name)):
        store = LocalFolder(root)
        odd = letter(1, shard=shard)
        store.put([odd])
        assert store.get(odd.key) == odd
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]
    assert all(len(path.split("/")) == 3 for path in files(root))


def test_keys_are_what_the_list_shows(store: LocalFolder) -> None:
    (found,) = store.list()
    assert store.get(DeadLetterKey.parse(str(found.key))) == found
