import base64
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from firnline_infra.cli import replay as replay_command
from firnline_infra.cli.dead_letters import dead_letters
from firnline_infra.cli.replay import SDK
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.dead_letters import replay as replaying
from firnline_ingest.dead_letters.errors import NotReplayable, UnknownDeadLetter
from firnline_ingest.dead_letters.passed import FORGOTTEN, NOT_PASSED, READ_AGAIN
from firnline_ingest.dead_letters.shard_replay import REPLACED, ReplayReport
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import ShardKey

SHARD = ShardKey("orders", 1_700_000_000_000, "shardId-000000000000")
PAYLOAD = b'{"a":\xff\x1b[31m}\n'
KEY = "orders@1700000000000/shardId-000000000000/495900000000000000000000.parse"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    rejected = RejectedRecord(0, RejectReason.NOT_JSON, "JSON is malformed: invalid character (byte 5).")
    record = Record("4959", PAYLOAD, "key-\x1b[2J", 1763725995.123)
    LocalFolder(folder).put([DeadLetter.of(rejected, record, SHARD)])
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(dead_letters, arguments)


def test_list_shows_key_reason_size_arrival_and_detail(folder: Path) -> None:
    shown = run("list", "--dead-letters", str(folder))
    assert shown.exit_code == 0
    assert shown.output.splitlines() == [
        KEY,
        "    not-json, 13 bytes, arrived 2025-11-21T11:53:15.123Z: JSON is malformed: invalid character (byte 5).",
        f"1 dead letter in {folder}.",
    ]


def test_a_reason_steers_no_terminal_and_stays_in_its_line(tmp_path: Path) -> None:
    """The schema of an Avro file, which its producer writes, makes such a one."""
    rejected = RejectedRecord(0, RejectReason.MALFORMED, "UnknownType: \x1b[2J\nNo dead letters.")
    LocalFolder(tmp_path).put([DeadLetter.of(rejected, Record("4959", PAYLOAD, "key", 1763725995.123), SHARD)])
    for command in (["list"], ["show", KEY]):
        lines = run(*command, "--dead-letters", str(tmp_path)).output.splitlines()
        assert [line for line in lines if line.endswith(r"UnknownType: \x1b[2J\nNo dead letters.")]


def test_list_says_so_where_there_are_none(tmp_path: Path) -> None:
    assert run("list", "--dead-letters", str(tmp_path)).output == f"No dead letters in {tmp_path}.\n"


def test_list_as_json_is_a_document_a_line_without_the_payload(folder: Path) -> None:
    (line,) = run("list", "--dead-letters", str(folder), "--output", "json").output.splitlines()
    document = json.loads(line)
    assert (document["key"], document["reason"], document["bytes"]) == (KEY, "not-json", 13)
    assert "data" not in document


def test_the_folder_can_come_from_the_engines_configuration(
    folder: Path, tmp_path: Path, engine_document: dict[str, Any]
) -> None:
    config = {**engine_document, "dead_letters": {"folder": str(folder)}}
    file = tmp_path / "engine.json"
    file.write_text(json.dumps(config))
    assert KEY in run("list", "--config", str(file)).output


def test_show_prints_the_payload_without_letting_it_steer_the_terminal(folder: Path) -> None:
    shown = run("show", KEY, "--dead-letters", str(folder)).output
    assert "partition key    key-\\x1b[2J\n" in shown
    assert "reason           not-json: JSON is malformed: invalid character (byte 5).\n" in shown
    assert '{"a":\\xff\\x1b[31m}' in shown
    assert "\x1b" not in shown


def test_show_raw_prints_the_exact_bytes_and_nothing_else(folder: Path) -> None:
    assert run("show", KEY, "--dead-letters", str(folder), "--raw").stdout_bytes == PAYLOAD


def test_a_key_without_a_letter_is_an_error_of_ours(folder: Path) -> None:
    for key in (KEY.replace("4959", "4960"), "nonsense"):
        assert isinstance(run("show", key, "--dead-letters", str(folder)).exception, UnknownDeadLetter)


@pytest.mark.parametrize("arguments", [(), ("--dead-letters", ".", "--config", __file__)])
def test_the_place_is_given_in_exactly_one_way(arguments: tuple[str, ...]) -> None:
    refused = run("list", *arguments)
    assert refused.exit_code == 2
    assert "Give one of ENV, --config and --dead-letters." in refused.output


def test_letters_on_a_stream_can_not_be_replayed_and_the_error_says_how_they_can(
    tmp_path: Path, engine_document: dict[str, Any]
) -> None:
    file = tmp_path / "engine.json"
    file.write_text(json.dumps({**engine_document, "dead_letters": {"stream": "orders-letters"}}))
    error = run("replay", "--config", str(file)).exception
    assert isinstance(error, NotReplayable)
    assert "orders-letters" in str(error)
    assert "export --letters" in error.next_step


def test_whoever_has_loaded_the_sdk_before_goes_on_after_a_refusal(
    tmp_path: Path, engine_document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, SDK, ModuleType(SDK))
    monkeypatch.setattr(replay_command, "end_at_once", lambda _status: pytest.fail("the whole process would end"))
    file = tmp_path / "engine.json"
    file.write_text(json.dumps({**engine_document, "dead_letters": {"stream": "orders-letters"}}))
    assert isinstance(run("replay", "--config", str(file)).exception, NotReplayable)


def test_export_brings_letters_into_a_folder_of_letters(folder: Path, tmp_path: Path) -> None:
    for new in (1, 0):
        shown = run("export", "--dead-letters", str(folder), "--letters", str(tmp_path / "other"))
        assert f"{new} new dead letters" in shown.stderr
    assert list(LocalFolder(tmp_path / "other").list()) == list(LocalFolder(folder).list())


def test_list_takes_only_what_is_chosen(folder: Path) -> None:
    def listed(*options: str) -> str:
        return run("list", "--dead-letters", str(folder), *options).output.splitlines()[-1]

    none, one = f"No dead letters in {folder}.", f"1 dead letter in {folder}."
    assert listed("--stream", "orders", "--shard", SHARD.shard_id, "--reason", "not-json") == one
    assert listed("--stream", "others") == listed("--shard", "shardId-1") == listed("--reason", "empty") == none
    assert listed("--since", "2020-01-01T00:00:00Z") == one
    assert listed("--until", "2020-01-01T00:00:00Z") == none


@pytest.mark.parametrize("command", ["list", "export"])
def test_a_reason_that_no_letter_has_is_told_and_is_not_no_letters(folder: Path, command: str) -> None:
    outcome = CliRunner().invoke(dead_letters, [command, "--dead-letters", str(folder), "--reason", "not_json"])
    assert (outcome.exit_code, "'not_json' is not a reason; did you mean 'not-json'?" in outcome.output) == (2, True)


def test_list_counts_by_stream_shard_and_reason(folder: Path) -> None:
    shown = run("list", "--dead-letters", str(folder), "--count").output.splitlines()
    assert [shown[2].split(), shown[3]] == [["1", "orders", SHARD.shard_id, "not-json"], f"1 in {folder}."]
    counted = run("list", "--dead-letters", str(folder), "--count", "--output", "yaml").output
    assert yaml.safe_load(counted) == [{"count": 1, "stream": "orders", "shard": SHARD.shard_id, "reason": "not-json"}]


def test_a_damaged_letter_is_told_on_stderr_and_the_others_are_listed(folder: Path) -> None:
    (file,) = folder.rglob("*.json")
    file.with_name(file.name.replace("4959", "4950")).write_bytes(b'{"version":2}')
    shown = run("list", "--dead-letters", str(folder))
    assert shown.exit_code == 1
    assert shown.stdout.splitlines()[0] == KEY
    assert "FL-4003" in shown.stderr
    assert "newer version" in shown.stderr


def test_show_says_what_the_record_would_be_today(
    folder: Path, tmp_path: Path, engine_document: dict[str, Any]
) -> None:
    def today(**pipeline: Any) -> str:
        pipelines = [{"stream": "orders", "database": "DB", "schema": "RAW", **pipeline}]
        file = tmp_path / "engine.json"
        document = {**engine_document, "dead_letters": {"folder": str(folder)}, "pipelines": pipelines}
        file.write_text(json.dumps(document))
        lines = run("show", KEY, "--config", str(file)).output.splitlines()
        (line,) = [line for line in lines if line.startswith("today ")]
        return line.removeprefix("today").strip()

    assert today().startswith("not-json: ")
    assert today(format={"type": "bytes"}) == "a row"
    assert today(stream="others") == "no pipeline reads its stream"


def test_show_dumps_bytes_in_hexadecimal(folder: Path) -> None:
    dumped = run("show", KEY, "--dead-letters", str(folder), "--hex").output.splitlines()[-1]
    assert dumped == '00000000  7b 22 61 22 3a ff 1b 5b 33 31 6d 7d 0a           {"a":..[31m}.'


def test_export_keeps_bytes_that_are_no_text_in_base64(folder: Path) -> None:
    (line,) = run("export", "--dead-letters", str(folder)).output.splitlines()
    document = json.loads(line)
    assert document["key"] == KEY
    assert base64.b64decode(document["data"]) == PAYLOAD
    assert "text" not in document


def test_export_shows_text_as_text(folder: Path) -> None:
    rejected = RejectedRecord(0, RejectReason.NOT_JSON, "x")
    LocalFolder(folder).put([DeadLetter.of(rejected, Record("1", "{ä".encode(), "p", None), SHARD)])
    document = json.loads(run("export", "--dead-letters", str(folder)).output.splitlines()[0])
    assert document["text"] == "{ä"
    assert "data" not in document


def test_export_writes_exact_bytes_into_a_folder_that_is_empty(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("export", "--dead-letters", str(folder), "--raw", str(out)).exit_code == 0
    assert {file.name: file.read_bytes() for file in out.iterdir()} == {KEY.replace("/", "-"): PAYLOAD}
    assert run("export", "--dead-letters", str(folder), "--raw", str(out)).exit_code == 2


def test_who_replays_what_is_too_large_is_told_of_files_unless_it_went_by_one() -> None:
    report = ReplayReport()
    report.remaining["too-large"] += 2
    assert "2 stay dead letters: too-large (--by-file" in replay_command.sentence(report)
    assert replay_command.sentence(report, hints={}).endswith("2 stay dead letters: too-large.")


def test_what_snowflake_says_of_a_replayed_row_steers_no_terminal() -> None:
    report = ReplayReport(letters=1, rows=1, rejected=1, rejection="'\x1b[2J\n0 stay dead letters' is not a number")
    assert r"refused by the table ('\x1b[2J\n0 stay dead letters' is not a number)" in replay_command.sentence(report)


def test_each_reason_for_which_a_person_can_do_something_names_it() -> None:
    reasons = {"too-large", NOT_PASSED, FORGOTTEN, READ_AGAIN, replaying.A_COPY, REPLACED}
    assert set(replay_command.HINTS) == reasons
    report = ReplayReport()
    report.remaining[NOT_PASSED] += 1
    assert "firnline status says why" in replay_command.sentence(report)
