"""Rows of a DataFrame that no channel takes: kept before the batch counts as done, once, and the others are rows, once."""

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import product, repeat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import Row
from pyspark.sql.types import StructType

from firnline_infra.cli.dead_letters import dead_letters as command
from firnline_ingest.aws.client import aws_client
from firnline_ingest.datasource import SnowpipeDataSource
from firnline_ingest.datasource.plain import row_encoder
from firnline_ingest.datasource.snowpipe import partition as partitions
from firnline_ingest.datasource.snowpipe.errors import BatchDiffers, RowTooLarge, RowUnwritable
from firnline_ingest.datasource.snowpipe.letters import RowLetters, writable
from firnline_ingest.datasource.snowpipe.options import SnowpipeOptions
from firnline_ingest.datasource.snowpipe.partition import PartitionKey, PartitionWriter, Written
from firnline_ingest.dead_letters import DeadLetter, DeadLetterKey, LocalFolder, open_store
from firnline_ingest.errors import ConfigError, DeadLetterError
from firnline_local.aws.server import AwsServer
from tests.contract.snowpipe_streaming.test_dataframe_options import options
from tests.contract.snowpipe_streaming.test_dataframes import QUERY, Killed, ids, rows, table, until_killed
from tests.tiers import every_third

__all__ = ["options", "table"]

World = Any  # of conftest.py

pytestmark = pytest.mark.contract

MOST = 300_000
LARGE = "x" * MOST
TIMES = StructType().add("id", "long").add("at", "timestamp")
NO_TIME = datetime.min
"""Python can't say it in UTC, whatever the zone; many call it never."""


@pytest.fixture(autouse=True)
def small_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "MOST_ROW_BYTES", MOST)


@pytest.fixture(scope="module")
def aws() -> Iterator[AwsServer]:
    with AwsServer() as server:
        yield server


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Options that say where dead letters go."""
    if request.param == "folder":
        return {"deadLetters": str(tmp_path / "letters")}
    aws: AwsServer = request.getfixturevalue("aws")
    bucket = f"letters-{uuid.uuid4().hex[:8]}"
    return {"deadLetters": f"s3://{bucket}/frames", "s3Endpoint": aws.endpoint, "region": "us-east-1"}


@pytest.fixture
def store(place: dict[str, str], options: dict[str, str]) -> Any:
    parsed = SnowpipeOptions.parse({**options, **place})
    if "region" in place:
        aws_client(parsed.letters_config.aws, "s3").create_bucket(Bucket=place["deadLetters"].split("/")[2])
    return open_store(parsed.letters_config)


def names(store: Any) -> list[str]:
    """Returns the names of what is kept, as the store has them."""
    if isinstance(store, LocalFolder):
        return sorted(str(path) for path in store._folder.rglob("*.json"))
    return sorted(each["Key"] for each in store._listed(""))


def letters(store: Any) -> list[DeadLetter]:
    return list(store.list())


def writer(world: World, store: Any, batch: int = 0) -> PartitionWriter:
    key = PartitionKey(QUERY, batch, 0, "SPARK~TEST~0")
    kept = RowLetters(store, "test", str(world.target), key) if store else None
    return PartitionWriter(world.channels(), world.target, key, settle_s=0.0, letters=kept)


def mixed(count: int, large: set[int]) -> list[bytes]:
    return [row for number in range(count) for row in rows([number], *([LARGE] if number in large else []))]


def test_a_row_that_is_too_large_is_kept_by_query_batch_partition_and_row_and_the_others_are_added(
    world: World, table: Any, store: Any
) -> None:
    every = mixed(6, {0, 3, 5})
    assert writer(world, store, 7).write(every) == Written(6, 0, 0, 3)
    assert ids(world, table) == [1, 2, 4]
    found = letters(store)
    assert [str(each.key) for each in found] == [
        f"spark~test@0/{QUERY}~0/{DeadLetterKey('', 0, '', each.key.position, each.stage).position.token}.append"
        for each in found
    ]
    places = [(each.sequence_number, each.row, each.reason) for each in found]
    assert places == [("7", number, "too-large") for number in (1, 4, 6)]
    assert [each.data for each in found] == [every[0], every[3], every[5]]
    assert f"row 4 of partition 0 of batch 7 of query test into {world.target}" in found[1].detail


CUTS, LARGE_ROWS = (1, 4, 6, 8), ({3}, {0, 7}, {2, 3, 4}, set(range(8)))


@pytest.mark.parametrize(
    ("place", "cut", "large"),
    every_third([*product(["folder"], CUTS, LARGE_ROWS), *zip(repeat("s3"), CUTS, LARGE_ROWS, strict=False)]),
    indirect=["place"],
)
def test_an_attempt_that_is_killed_anywhere_leaves_one_letter_a_row_and_one_row_a_row(
    world: World, table: Any, store: Any, cut: int, large: set[int]
) -> None:
    every, good = mixed(8, large), [number for number in range(8) if number not in large]
    with pytest.raises(Killed):
        writer(world, store).write(until_killed(every[:cut]))
    before = names(store)
    assert writer(world, store).write(every).dead_letters == len(large)
    assert ids(world, table) == good
    kept = names(store)
    assert set(before) <= set(kept)
    assert len(kept) == len(large)
    again = writer(world, store).write(every)
    assert (again.rows, again.dead_letters) == (8, len(large))
    assert ids(world, table) == good
    assert names(store) == kept


@pytest.mark.parametrize(("first", "then"), [((0, 1), (1, 0)), ((0, 2), (2, 0)), ((0, 1, 2), (1, 0, 2))])
def test_no_row_of_a_plan_that_gives_other_rows_is_lost(
    world: World, table: Any, store: Any, first: tuple[int, ...], then: tuple[int, ...]
) -> None:
    """Rows 0 and 1 are too large. Before any token is sent nothing tells that a batch has another order."""
    large = {0: rows([0], LARGE)[0], 1: rows([1], LARGE)[0], 2: rows([2], "")[0]}
    with pytest.raises(Killed):
        writer(world, store).write(until_killed([large[first[0]]]))
    writer(world, store).write([large[each] for each in then])
    assert {each.data for each in letters(store)} == {large[each] for each in then if each < 2}
    assert ids(world, table) == [each for each in then if each == 2]


def test_one_that_is_killed_between_the_letter_and_the_append_writes_the_same_object_again(
    world: World, table: Any, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    every, attempt = mixed(4, {2}), writer(world, store)

    def killed(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(attempt, "_append", killed)
    with pytest.raises(Killed):
        attempt.write(every)
    before = names(store)
    assert len(before) == 1
    assert ids(world, table) == []
    assert writer(world, store).write(every) == Written(4, 0, 0, 1)
    assert ids(world, table) == [0, 1, 3]
    assert names(store) == before
    assert letters(store)[0].data == every[2]


def test_a_batch_that_comes_to_its_end_has_its_letters_though_the_last_rows_are_no_rows(
    world: World, table: Any, store: Any
) -> None:
    for batch in range(2):
        assert writer(world, store, batch).write(mixed(2, {0, 1})) == Written(2, 0, 0, 2)
        assert writer(world, store, batch).write(mixed(2, {0, 1})) == Written(2, 0, 0, 2)
    assert len(names(store)) == 4
    assert ids(world, table) == []
    assert writer(world, store, 2).write(mixed(3, {2})) == Written(3, 0, 0, 1)
    assert writer(world, store, 2).write(mixed(3, {2})) == Written(3, 3, 0, 1)
    with pytest.raises(BatchDiffers, match="it had 3 rows, and now has more"):
        writer(world, store, 2).write(mixed(4, {2}))
    with pytest.raises(BatchDiffers, match="its first 3 rows are not those that it had"):
        writer(world, store, 2).write([*mixed(2, set()), *rows([9], LARGE)])
    assert ids(world, table) == [0, 1]


class Away:
    """A store that keeps nothing."""

    def put(self, letters: Any) -> int:
        raise DeadLetterError("it is away")


def test_a_row_is_not_passed_while_its_letter_can_not_be_kept(world: World, table: Any) -> None:
    with pytest.raises(DeadLetterError, match="it is away"):
        writer(world, Away()).write(mixed(3, {1}))
    with pytest.raises(RowTooLarge, match="Row 2 of partition 0"):
        writer(world, None).write(mixed(3, {1}))


def test_a_row_that_can_not_be_written_stops_the_query_or_is_kept(
    world: World,
    options: dict[str, str],
    sql: Callable[[str], list[Any]],
    place: dict[str, str],
    store: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER, AT TIMESTAMP_TZ) ERROR_LOGGING = TRUE")
    sql(f"GRANT INSERT ON TABLE ORDERS TO ROLE {world.role.name}")
    made = [Row(id=1, at=datetime(2026, 1, 1)), Row(id=2, at=NO_TIME), Row(id=3, at=None)]
    encode = row_encoder(TIMES)
    assert writable(TIMES, encode)(made[0]) == encode(made[0])

    def write(**more: str) -> Any:
        frame_writer: Any = SnowpipeDataSource({**options, **more}).writer(TIMES, False)
        message = frame_writer.write(iter(made))
        frame_writer.commit([message])
        return message

    with pytest.raises(RowUnwritable, match="Row 2 of partition 0 can't be written: at: year 0 is out of range"):
        write()
    with caplog.at_level("WARNING"):
        assert (message := write(**place)).dead_letters == 1
    assert f"1 rows could not be rows of the table and are in {place['deadLetters']}" in caplog.text
    assert sorted(row[0] for row in sql("SELECT ID FROM ORDERS")) == [1, 3]
    (letter,) = letters(store)
    assert letter.reason == "malformed"
    assert json.loads(letter.data) == {"id": 2, "at": str(NO_TIME)}
    assert letter.shard_id == f"{message.query}~0"


def test_the_command_lists_and_shows_what_a_folder_has(world: World, table: Any, tmp_path: Path) -> None:
    every = mixed(2, {1})
    writer(world, LocalFolder(tmp_path)).write(every)
    listed = CliRunner().invoke(command, ["list", "--dead-letters", str(tmp_path), "--stream", "spark~test"])
    assert listed.exit_code == 0, listed.output
    key = listed.output.splitlines()[0]
    assert key.startswith(f"spark~test@0/{QUERY}~0/")
    assert "too-large" in listed.output
    shown = CliRunner().invoke(command, ["show", "--dead-letters", str(tmp_path), key, "--raw"])
    assert shown.stdout_bytes == every[1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"deadLetters": "hdfs://name/folder"}, "deadLetters: must be a folder or s3://BUCKET/FOLDER/"),
        ({"deadLetters": "s3://UPPER/folder/"}, "deadLetters: "),
    ],
)
def test_a_place_that_can_not_be_used_is_refused_at_once(
    options: dict[str, str], changes: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        SnowpipeDataSource({**options, **changes})
