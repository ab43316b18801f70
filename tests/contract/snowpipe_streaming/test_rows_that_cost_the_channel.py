"""Data that Snowflake answers with the whole channel, through the engine's shard and the real SDK: it never holds a shard."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.dead_letters.letter import FailedAt
from firnline_ingest.shard.receipt import Receipt, ShardState
from tests.ingest.shard.conftest import World as ShardWorld
from tests.ingest.shard.running import bounded

World = Any  # of conftest.py

pytestmark = pytest.mark.contract


class Shard:
    """One shard of a fake stream into the embedded Snowflake's table."""

    def __init__(self, world: World, folder: Path, **pipeline: Any) -> None:
        self.snowflake = world
        self.table = world.table("KINESISMETADATA OBJECT", enable_schema_evolution=True)
        world.grant("EVOLVE SCHEMA", self.table)
        self.shards = ShardWorld(folder)
        self.shards.channels = world.channels()
        self.shards.pipeline = self.shards.pipeline.model_validate(
            {"stream": "events", "database": "DB", "schema": "RAW", **pipeline}
        )

    def put(self, payload: Any) -> None:
        self.shards.stream.put(payload)

    def run(self) -> Receipt:
        """Until everything that is there now is proven."""
        services = self.shards.services(prove_every_s=0.02, reopen_delay_s=0.01, jitter=lambda: 0.0)
        receipt = bounded(services, self.shards.work(target=self.snowflake.target), 240)
        assert receipt.state is ShardState.DONE, receipt.problem
        return receipt

    @property
    def numbers(self) -> list[int]:
        with self.snowflake.catalog.store.cursor() as cursor:
            return [row[0] for row in cursor.execute(f'SELECT "N" FROM t{self.table.id} ORDER BY rowid').fetchall()]

    @property
    def letters(self) -> list[Any]:
        return list(self.shards.dead_letters.list())


@pytest.fixture
def shard(world: World, tmp_path: Path) -> Callable[..., Shard]:
    return lambda **pipeline: Shard(world, tmp_path / "dead-letters", **pipeline)


def wide(number: int, columns: int, name: str = "K") -> dict[str, int]:
    return {"n": number, **{f"{name}{index}": index for index in range(columns)}}


def test_a_record_with_more_new_keys_than_a_batch_may_bring_is_a_dead_letter_with_the_services_words(
    shard: Callable[..., Shard],
) -> None:
    one = shard()
    for number in range(700):
        one.put(wide(number, 150) if number == 450 else {"n": number})
    one.run()
    assert one.numbers == [number for number in range(700) if number != 450]
    (letter,) = one.letters
    assert json.loads(letter.data)["n"] == 450
    assert (letter.reason, letter.stage) == ("refused", FailedAt.APPEND)
    assert letter.detail == "Schema evolution failed: the batch would add 150 columns, and 100 is the limit."


def test_a_page_that_brings_more_than_a_hundred_new_columns_arrives_in_smaller_appends(
    shard: Callable[..., Shard],
) -> None:
    one = shard()
    for number in range(40):
        one.put(wide(number, 10, f"R{number}_"))
    one.run()
    assert one.numbers == list(range(40))
    assert one.letters == []


def test_several_records_that_can_never_go_stop_nobody(shard: Callable[..., Shard]) -> None:
    one = shard()
    for number in range(30):
        one.put(wide(number, 120, f"R{number}_") if number % 6 == 0 else {"n": number})
    one.run()
    assert one.numbers == [number for number in range(30) if number % 6]
    assert len(one.letters) == 5


def test_a_row_that_would_be_uploaded_is_a_dead_letter_where_uploads_do_not_get_through(
    shard: Callable[..., Shard],
) -> None:
    one = shard(max_row_bytes=4 * 1024 * 1024)
    one.put({"n": 1})
    one.put({"n": 2, "text": "x" * (1024 * 1024 - 30)})
    one.put({"n": 3})
    one.run()
    assert one.numbers == [1, 3]
    (letter,) = one.letters
    assert letter.reason == "refused"
    assert "upload" in letter.detail


@pytest.mark.parametrize("size", [900_000, 1024 * 1024 - 30])
def test_a_record_of_kinesis_largest_size_is_a_row_or_a_dead_letter_at_once(
    shard: Callable[..., Shard], size: int
) -> None:
    one = shard()
    one.put({"n": 1})
    one.put({"n": 2, "text": "x" * size})
    one.put({"n": 3})
    assert one.run().opens == 1
    assert [letter.reason for letter in one.letters] == (["too-large"] if size > 1_000_000 else [])
    assert len(one.numbers) + len(one.letters) == 3


def test_what_was_given_up_is_not_counted_by_the_next_engine(shard: Callable[..., Shard]) -> None:
    one = shard()
    one.put(wide(0, 150))
    one.put({"n": 1})
    one.run()
    one.put({"n": 2})
    one.run()
    assert one.numbers == [1, 2]
    assert len(one.letters) == 1
