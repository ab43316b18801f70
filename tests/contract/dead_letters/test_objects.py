"""Tests of what lies beside letters under a name of its own: made once, whoever makes it, and no letter."""

import threading
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.dead_letters import LocalFolder
from firnline_ingest.dead_letters.errors import DeadLetterUnreadable
from firnline_ingest.dead_letters.folder import FolderObjects
from tests.contract.dead_letters.conftest import BUCKETS, Bucket, bucket_of
from tests.contract.dead_letters.letters import letters

pytestmark = pytest.mark.contract
NAME = "replays/orders@1/shardId-0/0000000001.jsonl.gz"


@pytest.fixture(params=["folder", *BUCKETS])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return FolderObjects(tmp_path) if request.param == "folder" else bucket_of(request.param, request).folder()


def test_a_name_is_made_once(objects: Any) -> None:
    assert objects.create(NAME, b"one")
    assert not objects.create(NAME, b"two")
    assert objects.read(NAME) == b"one"


def test_names_are_those_of_one_folder_in_order(objects: Any) -> None:
    for name in (NAME, NAME.replace("1.jsonl", "0.jsonl"), NAME.replace("shardId-0", "shardId-01")):
        objects.create(name, b"x")
    assert list(objects.names("replays/orders@1/shardId-0/")) == [NAME.replace("1.jsonl", "0.jsonl"), NAME]
    assert list(objects.names("replays/nothing/")) == []


def test_of_several_that_make_a_name_at_once_one_does(objects: Any) -> None:
    made: list[bytes] = []

    def make(content: bytes) -> None:
        if objects.create(NAME, content):
            made.append(content)

    threads = [threading.Thread(target=make, args=(b"%d" % number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [objects.read(NAME)]


def test_what_is_not_there_is_an_error_of_ours(objects: Any) -> None:
    with pytest.raises(DeadLetterUnreadable):
        objects.read(NAME)


def test_a_letters_listing_has_none_of_it(tmp_path: Path, bucket: Bucket) -> None:
    for store, objects in ((LocalFolder(tmp_path), FolderObjects(tmp_path)), (bucket.folder(), bucket.folder())):
        store.put(letters(2))
        objects.create(NAME, b"x")
        assert list(store.list()) == letters(2)
        assert [shard.stream for shard in store.shards()] == ["orders"]


def test_no_draft_is_left_in_a_folder(tmp_path: Path) -> None:
    for _ in range(2):
        FolderObjects(tmp_path).create(NAME, b"x")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [NAME.rpartition("/")[2]]
