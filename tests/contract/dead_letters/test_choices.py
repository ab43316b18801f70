"""Tests of what a listing leaves out, what it reads for that, and what it says of letters that are damaged or too new."""

import gzip
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.dead_letters import Choice, LocalFolder
from firnline_ingest.dead_letters.folder import LocalFolder as Folder
from firnline_ingest.errors import DeadLetterError
from firnline_ingest.values import ShardKey
from tests.contract.dead_letters.conftest import BUCKETS, Bucket, bucket_of
from tests.contract.dead_letters.letters import FIRST, SHARD, letter, letters

pytestmark = pytest.mark.contract

OTHER = ShardKey("orders-2", 1_700_000_000_000, "shardId-000000000007")


@pytest.fixture(params=["folder", *BUCKETS])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return LocalFolder(tmp_path) if request.param == "folder" else bucket_of(request.param, request).folder()


def test_letters_are_chosen_by_stream_shard_and_reason(store: Any) -> None:
    one, other = letter(FIRST), letter(5, shard=OTHER)
    store.put([one])
    store.put([other])
    assert list(store.list(Choice(stream="orders"))) == [one]
    assert list(store.list(Choice(stream="orders-2"))) == [other]
    assert list(store.list(Choice(shard=OTHER.shard_id))) == [other]
    assert list(store.list(Choice(reasons=frozenset({"not-json"})))) == [one, other]
    assert list(store.list(Choice(reasons=frozenset({"too-deep"})))) == []


def test_letters_of_one_incarnation_of_a_shard_are_chosen(store: Any) -> None:
    again = replace(SHARD, stream_created_ms=SHARD.stream_created_ms + 1)
    longer = replace(SHARD, shard_id=f"{SHARD.shard_id}0")
    for shard in (SHARD, again, longer):
        store.put([letter(FIRST, shard=shard)])
    chosen = Choice(stream=SHARD.stream, created_ms=SHARD.stream_created_ms, shard=SHARD.shard_id)
    assert list(store.list(chosen)) == [letter(FIRST)]
    assert list(store.shards(chosen)) == [SHARD]
    assert list(store.shards(Choice(stream=SHARD.stream, created_ms=again.stream_created_ms))) == [again]


def test_letters_of_one_shard_are_listed_without_those_of_others(bucket: Bucket) -> None:
    """A replay lists them for each shard: a stream of many shards with many dead letters would be listed whole each time."""
    bucket.folder().put([letter(FIRST), letter(5, shard=OTHER)])
    listed: list[str] = []
    bucket.client.meta.events.register(
        "before-parameter-build.s3.ListObjectsV2", lambda params, **_: listed.append(params["Prefix"])
    )
    chosen = Choice(stream=SHARD.stream, created_ms=SHARD.stream_created_ms, shard=SHARD.shard_id)
    assert list(bucket.folder().list(chosen)) == [letter(FIRST)]
    assert [prefix.endswith(f"/{SHARD.shard_id}/") for prefix in listed] == [True]


def test_letters_are_chosen_by_the_time_at_which_they_were_written(store: Any) -> None:
    store.put(letters(2))
    now, hour = datetime.now(UTC), timedelta(hours=1)
    assert list(store.list(Choice(since=now - hour, until=now + hour))) == letters(2)
    assert list(store.list(Choice(since=now + hour))) == []
    assert list(store.list(Choice(until=now - hour))) == []


def test_objects_of_another_day_or_shard_are_not_opened(bucket: Bucket) -> None:
    bucket.folder().put(letters(2))
    opened: list[str] = []
    bucket.client.meta.events.register("before-call.s3.GetObject", lambda **call: opened.append("one"))
    later = datetime.now(UTC) + timedelta(hours=1)
    for choice in (Choice(since=later), Choice(shard="shardId-9"), Choice(stream="another")):
        assert list(bucket.folder().list(choice)) == []
    assert opened == []
    assert list(bucket.folder().list()) == letters(2)
    assert opened == ["one"]


def damage_object(bucket: Bucket, damage: Callable[[bytes], bytes]) -> None:
    ((name, content),) = bucket.contents().items()
    lines = gzip.decompress(content).splitlines()
    lines[1] = damage(lines[1])
    bucket.client.put_object(Bucket=bucket.name, Key=name, Body=gzip.compress(b"\n".join(lines)))


DAMAGES = [
    pytest.param(lambda line: line.replace(b'"version":1', b'"version":2'), "a newer version of Firnline", id="newer"),
    pytest.param(lambda line: line[:-5], "truncated", id="cut short"),
    pytest.param(lambda line: line.replace(b'"sequenceNumber":"', b'"sequenceNumber":"x'), "invalid literal", id="odd"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES)
def test_a_damaged_letter_of_an_object_is_told_and_the_others_are_listed(
    bucket: Bucket, damage: Callable[[bytes], bytes], words: str
) -> None:
    bucket.folder().put(letters(3))
    damage_object(bucket, damage)
    told: list[DeadLetterError] = []
    found = list(bucket.folder().list(on_damaged=told.append))
    assert found == [letter(FIRST), letter(FIRST + 2)]
    assert [words in str(each) and "line 2" in str(each) for each in told] == [True], told


@pytest.mark.parametrize(("damage", "words"), DAMAGES)
def test_a_damaged_letter_of_a_folder_is_told_and_the_others_are_listed(
    tmp_path: Path, damage: Callable[[bytes], bytes], words: str
) -> None:
    Folder(tmp_path).put(letters(3))
    file = sorted(tmp_path.rglob("*.json"))[1]
    file.write_bytes(damage(file.read_bytes()))
    told: list[DeadLetterError] = []
    assert list(Folder(tmp_path).list(on_damaged=told.append)) == [letter(FIRST), letter(FIRST + 2)]
    assert [words in str(each) and file.name in str(each) for each in told] == [True], told


def test_an_object_that_left_while_it_was_listed_is_told(bucket: Bucket) -> None:
    """A lifecycle rule removes letters whenever it likes."""
    bucket.folder().put(letters(1))
    bucket.folder().put([letter(5, shard=OTHER)])
    listing = bucket.folder().list(on_damaged=lambda error: told.append(str(error)))
    told: list[str] = []
    assert next(listing) == letter(FIRST)
    gone = next(name for name in bucket.contents() if "orders-2" in name)
    bucket.client.delete_object(Bucket=bucket.name, Key=gone)
    assert list(listing) == []
    assert gone in told[0]


def test_a_folders_letters_of_another_day_are_not_opened(tmp_path: Path) -> None:
    store = Folder(tmp_path)
    store.put([letter(1), letter(2)])
    (old, _) = sorted(tmp_path.rglob("*.json"))
    os.utime(old, (1, 1))
    old.chmod(0)
    assert [each.sequence_number for each in store.list(Choice(since=datetime(2020, 1, 1, tzinfo=UTC)))] == ["2"]


def test_by_default_a_damaged_letter_ends_the_listing(tmp_path: Path) -> None:
    store = Folder(tmp_path)
    store.put([letter(1, shard=SHARD)])
    next(iter(tmp_path.rglob("*.json"))).write_bytes(b"{")
    with pytest.raises(DeadLetterError):
        list(store.list())
