"""Tests of which letters a replay takes, with what bytes, and what it leaves alone; in a folder, with channels in memory."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from firnline_ingest.dead_letters import Choice, DeadLetter, LocalFolder
from firnline_ingest.dead_letters import replay as command
from firnline_ingest.dead_letters.conversion import callable_of, edited_letters
from firnline_ingest.dead_letters.errors import RepairUnusable, ReplayedElsewhere
from firnline_ingest.dead_letters.folder import FolderObjects
from firnline_ingest.dead_letters.passed import FORGOTTEN, NOT_PASSED, READ_AGAIN
from firnline_ingest.dead_letters.replay import ReplayRequest, Replays, ReplayServices
from firnline_ingest.dead_letters.shard_replay import REPLACED, ReplayReport
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom, ShardRow
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import Position, TargetTable
from tests.fakes import configs
from tests.fakes.channels import MemoryChannels
from tests.fakes.columns import OWN, ColumnsInMemory

from .conftest import SHARD, TARGET, letter

PASSED = ShardRow(key=SHARD, start=TrimHorizon(), read_through=Position(1000))


@dataclass
class Place:
    folder: Path
    target: TargetTable = TARGET
    row: ShardRow | None = PASSED
    """The ledger's, of each shard."""
    channels: MemoryChannels = field(default_factory=MemoryChannels)
    pipeline: Mapping[str, Any] = field(default_factory=dict)
    application: str = "app"
    services: Mapping[str, Any] = field(default_factory=dict)

    def put(self, *letters: DeadLetter) -> None:
        LocalFolder(self.folder).put(letters)

    def replay(self, **request: Any) -> ReplayReport:
        config = configs.config(
            application=self.application,
            pipelines=[configs.reading(**{"stream": "orders", **self.pipeline})],
            dead_letters={"folder": str(self.folder)},
        )
        services = ReplayServices(
            letters=LocalFolder(self.folder),
            objects=FolderObjects(self.folder),
            ledger=SimpleNamespace(read=lambda _: self.row),  # type: ignore[arg-type] # it is only read
            channels_of=lambda _: self.channels,
            target_of=lambda _: TargetState(self.target, evolves=True, logs_errors=True),
            **self.services,
        )

        def no_damage(error: Exception) -> None:
            raise error

        return Replays(config, ReplayRequest(**request), services, no_damage).run(lambda *_: None)

    @property
    def rows(self) -> list[bytes]:
        return [row.partition(b"},")[2] for served in self.channels.served.values() for row in served.rows]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "letters")


def test_a_changed_configuration_makes_rows_of_what_could_be_none(place: Place) -> None:
    place.put(letter(1, b"plain words"))
    assert dict(place.replay().remaining) == {"not-json": 1}
    place.pipeline = {"format": {"type": "text"}}
    assert place.replay().rows == 1
    assert place.rows == [b'"RECORD_CONTENT":"plain words"}']


def test_a_dry_run_sends_nothing_and_writes_nothing(place: Place) -> None:
    place.put(letter(1, b'{"a":1}'), letter(2))
    report = place.replay(only_look=True)
    assert (report.letters, report.rows, dict(report.remaining)) == (1, 1, {"not-json": 1})
    assert not place.channels.served
    assert not (place.folder / "replays").exists()
    place.replay()
    report = place.replay(only_look=True)
    assert (report.letters, report.already) == (0, 1)


def test_a_dry_run_says_what_would_go_once_more_into_a_recreated_table(place: Place) -> None:
    place.put(letter(1, b'{"a":1}'))
    place.replay()
    place.target = replace(TARGET, table_created_on="2026-02-01T00:00:00.000+00:00")
    for asked, expected in ((False, (0, 1)), (True, (1, 0))):
        report = place.replay(only_look=True, again=asked)
        assert (report.letters, report.already) == expected
    assert dict(place.replay().remaining) == {REPLACED: 1}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (replace(PASSED, read_through=Position(4)), NOT_PASSED),
        (replace(PASSED, read_through=Position(5, 0, 1)), NOT_PASSED),
        (replace(PASSED, read_through=None), NOT_PASSED),
        (replace(PASSED, reset=ResumeFrom.TRIM_HORIZON), NOT_PASSED),
        (None, FORGOTTEN),
    ],
    ids=["before it", "inside it", "nothing read", "reset", "forgotten"],
)
def test_what_the_engine_may_read_again_stays_a_letter(place: Place, row: ShardRow | None, why: str) -> None:
    place.put(letter(5, b"{}"))
    place.row = row
    assert dict(place.replay().remaining) == {why: 1}
    assert not place.rows


def resumed(where: ResumeFrom, *, routing: str) -> ShardRow:
    """By an engine of this conversion, after it was at the record 6, with a dead letter of 7."""
    before = replace(PASSED, read_through=Position(6), kept_through=Position(7))
    row = resume_from(before, where, 1)
    return replace(
        row, reset=None, read_through=Position(1000), read_again=row.read_again and row.read_again.by(routing, None)
    )


def conversion_hash(**pipeline: Any) -> str:
    return configs.pipeline(stream="orders", **pipeline).conversion_hash


def test_what_may_be_a_row_since_it_was_read_again_from_the_horizon_is_taken_only_where_a_person_says_so(
    place: Place,
) -> None:
    """The dead letters of 5 and 7 would be rows today, and that of 6 would be one again; 8 was first read afterwards."""
    place.put(letter(5, b'{"a":5}'), letter(6), letter(7, b'{"a":7}'), letter(8, b'{"a":8}'))
    place.put(letter(4, b'{"a":4}', reason="misplaced"))
    place.row = resumed(ResumeFrom.TRIM_HORIZON, routing=conversion_hash())
    asked = Choice(reasons=frozenset({"misplaced", "not-json"}))
    assert dict(place.replay(choice=asked).remaining) == {READ_AGAIN: 2, "not-json": 1}
    assert place.rows == [b'"a":4}', b'"a":8}']
    assert place.replay(read_again=True).rows == 2


def test_a_dead_letter_that_another_conversion_read_again_may_be_a_row_whatever_this_one_makes_of_it(
    place: Place,
) -> None:
    place.put(letter(6))
    place.row = resumed(ResumeFrom.TRIM_HORIZON, routing=conversion_hash(max_row_bytes=2000))
    assert dict(place.replay().remaining) == {READ_AGAIN: 1}


def test_who_goes_on_after_what_was_proven_reads_nothing_again(place: Place) -> None:
    place.put(letter(5, b'{"a":5}'))
    place.row = resumed(ResumeFrom.PROVEN, routing=conversion_hash())
    assert place.replay().rows == 1


def test_letters_up_to_where_the_engine_is_are_taken(place: Place) -> None:
    place.put(letter(5, b'{"a":5}'), letter(6, b'{"a":6}'))
    place.row = replace(PASSED, read_through=Position(5))
    place.replay()
    assert place.rows == [b'"a":5}']
    place.row = PASSED
    place.replay()
    assert place.rows == [b'"a":5}', b'"a":6}']


def test_letters_of_a_forgotten_shard_are_taken_where_a_person_says_so(place: Place) -> None:
    place.put(letter(5, b"{}"))
    place.row = None
    assert place.replay(with_forgotten=True).rows == 1


def test_copies_are_taken_only_by_their_reason(place: Place) -> None:
    place.put(letter(5, b"{}", reason="misplaced"))
    assert dict(place.replay().remaining) == {command.A_COPY: 1}
    assert place.replay(choice=Choice(reasons=frozenset({"misplaced"}))).rows == 1


def test_letters_of_no_pipeline_stay(place: Place) -> None:
    place.put(letter(5, b"{}"))
    place.pipeline = {"stream": "others"}
    assert dict(place.replay().remaining) == {command.NO_PIPELINE: 1}


def test_another_application_brings_the_letters_into_its_own_table(place: Place) -> None:
    place.put(letter(5, b"{}"))
    assert place.replay().rows == 1
    place.application = "other"
    assert place.replay().rows == 1
    assert place.replay().already == 1
    assert len(place.channels.served) == 2


def test_only_chosen_letters_are_taken(place: Place) -> None:
    place.put(letter(5, b"{}"), letter(6, b"{}", reason="empty"))
    assert place.replay(choice=Choice(reasons=frozenset({"empty"}))).letters == 1
    assert place.replay(choice=Choice(shard="shardId-9")).letters == 0


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Gives the import path of a function `f` with this body."""

    def make(body: str) -> str:
        (tmp_path / "repairs_of_a_test.py").write_text(f"def f(data):\n    {body}\n")
        monkeypatch.syspath_prepend(tmp_path)
        sys.modules.pop("repairs_of_a_test", None)
        return "repairs_of_a_test:f"

    return make


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return data.removeprefix(b'x')", ""),
        ("return None", "left alone"),
        ("raise ValueError('secret words')", "the callable raised ValueError"),
        ("return data.decode()", "the callable returned str, not bytes"),
        ("return b'{'", "not-json"),
    ],
)
def test_a_callable_repairs_bytes_and_may_fail(place: Place, module: Callable[[str], str], body: str, why: str) -> None:
    place.put(letter(5, b'x{"a":1}'))
    report = place.replay(repair=callable_of(module(body)))
    assert dict(report.remaining) == ({why: 1} if why else {})
    assert place.rows == ([] if why else [b'"a":1}'])


@pytest.mark.parametrize("path", ["no_such_module:f", "json", "json:no_such_function", "json:__doc__", ":", ""])
def test_what_is_no_callable_is_refused(path: str) -> None:
    with pytest.raises(RepairUnusable, match="can't be used"):
        callable_of(path)


def test_edited_letters_are_replayed_with_their_new_bytes(place: Place, tmp_path: Path) -> None:
    one, other, third = letter(5, b"{"), letter(6, b"{"), letter(7, b"{}")
    place.put(one, other, third)
    file = tmp_path / "edited.ndjson"
    file.write_text(
        f'{{"key":"{one.key}","reason":"not-json","text":"{{\\"ä\\":1}}"}}\n\n{{"key":"{other.key}","data":"eyJiIjoyfQ=="}}\n'
    )
    report = place.replay(edited=edited_letters(file))
    assert (report.letters, report.already, dict(report.remaining)) == (2, 0, {})
    assert place.rows == ['"ä":1}'.encode(), b'"b":2}']


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("{", "line 1,"),
        ('{"key":"x","text":"y"}', "names no dead letter"),
        ('{"key":"%s"}', "one of"),
        ('{"key":"%s","text":"a","data":"YQ=="}', "one of"),
        ('{"key":"%s","data":"no base64"}', "base64"),
        ('{"key":"%s","text":"a"}\n{"key":"%s","text":"b"}', "twice"),
    ],
    ids=["cut short", "no key", "no bytes", "both", "no base64", "twice"],
)
def test_a_file_with_a_line_that_is_no_letter_is_refused_in_whole(tmp_path: Path, lines: str, words: str) -> None:
    file = tmp_path / "edited.ndjson"
    file.write_text(lines.replace("%s", str(letter(5).key)))
    with pytest.raises(RepairUnusable, match=words):
        edited_letters(file)


def test_an_edited_key_that_has_no_letter_is_told(place: Place, tmp_path: Path) -> None:
    place.put(letter(5, b"{"))
    file = tmp_path / "edited.ndjson"
    file.write_text(f'{{"key":"{letter(6).key}","text":"{{}}"}}\n')
    assert dict(place.replay(edited=edited_letters(file)).remaining) == {command.NO_LETTER: 1}


def test_a_shard_whose_replay_fails_does_not_keep_the_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = [f"shardId-{number:012}" for number in range(3)]
    place.put(*(msgspec.structs.replace(letter(5, b'{"a":%d}' % n), shard_id=name) for n, name in enumerate(shards)))
    opened, asked = MemoryChannels.open, list[str]()

    def refuses_the_first(channels: MemoryChannels, target: Any, name: str) -> Any:
        asked.append(name)
        if name == asked[0]:
            raise ReplayedElsewhere(name, "7", "this place's journal")
        return opened(channels, target, name)

    monkeypatch.setattr(MemoryChannels, "open", refuses_the_first)
    with pytest.raises(ReplayedElsewhere, match="stands at 7"):
        place.replay()
    assert sorted(place.rows) == [b'"a":1}', b'"a":2}']


def test_each_key_of_a_replayed_record_gets_its_column_before_its_row_goes(place: Place) -> None:
    """The engine does the same: a page of the dead letters' own keys waits for its columns."""
    catalog = ColumnsInMemory(TargetState(TARGET, evolves=False, logs_errors=True, adds_columns=True))
    had: list[set[str]] = []
    place.channels.rejects = lambda row: had.append(set(catalog.columns[TARGET.table])) or False
    place.pipeline = {"adds_columns": True}
    place.services = {"adds_columns_by": catalog}
    place.put(letter(1, b'{"n":1,"late":1234567890123456789}'), letter(2, b'{"n":2,"half":0.5}'))
    assert place.replay(only_look=True).rows == 2
    assert catalog.statements == [], "a look changes nothing"
    assert place.replay().rows == 2
    assert catalog.statements == [('"LATE" NUMBER(38, 0)',), ('"HALF" FLOAT',)]
    assert had
    assert all(each == OWN | {"LATE", "HALF"} for each in had)
    catalog.is_away = 1
    place.put(letter(3, b'{"n":3,"more":1}'))
    with pytest.raises(SnowflakeUnavailable):
        place.replay()
    assert place.replay().rows == 1, "it stayed a dead letter"
