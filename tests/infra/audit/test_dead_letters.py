from pathlib import Path

from firnline_infra.audit.content.check import LetterContent, digest_of
from firnline_infra.audit.dead_letters import letters_by_shard
from firnline_infra.audit.outcome import Outcome, Place
from firnline_ingest.deadletter import DeadLetter, LocalFolder
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import Rejected, RejectReason
from firnline_ingest.values import ShardKey

SHARD, OTHER = "shardId-000000000000", "shardId-000000000001"


def letter(number: int, shard_id: str = SHARD, *, stream: str = "orders", created_ms: int = 7) -> DeadLetter:
    record = Record(str(number), b"nonsense", "key", 1_700_000_000.123)
    rejected = Rejected(0, RejectReason.NOT_JSON, "because")
    return DeadLetter.of(rejected, record, ShardKey(stream, created_ms, shard_id))


def test_letters_of_the_stream_as_it_is_now_come_by_shard_and_in_order(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    store.put([letter(1000), letter(999), letter(5, OTHER), letter(1, stream="other"), letter(1, created_ms=6)])
    found = letters_by_shard(store, "orders", 7)
    assert {shard_id: [each.sequence_number for each in letters] for shard_id, letters in found.items()} == {
        SHARD: [999, 1000],
        OTHER: [5],
    }


def test_a_letter_says_when_its_record_arrived_and_what_it_was(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    store.put([letter(1)])
    content = LetterContent(digest_of(b"nonsense"), "not-json")
    assert letters_by_shard(store, "orders", 7) == {
        SHARD: [Outcome(1, 0, Place.DEAD_LETTERS, 1_700_000_000_123, content)]
    }


def test_a_folder_that_is_not_there_has_no_letters(tmp_path: Path) -> None:
    assert letters_by_shard(LocalFolder(tmp_path / "none"), "orders", 7) == {}
