from pathlib import Path
from threading import Thread

import pytest
import yaml

from firnline_infra.keys.file import ReviewedFile, _alone, slots_of
from firnline_infra.keys.pair import KeyPair
from firnline_infra.specification.keys_file import UserKeys
from firnline_ingest.errors import ConfigError

ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:firnline-dev/snowflake/ingest-AbCdEf"


@pytest.fixture
def file(spec_file: Path) -> ReviewedFile:
    return ReviewedFile.beside(spec_file)


def test_it_lies_beside_the_specification_and_is_empty_at_first(file: ReviewedFile, spec_file: Path) -> None:
    assert file.path == spec_file.with_name("dev.keys.yaml")
    assert file.of("ingest") == UserKeys()


def test_what_was_put_comes_back_and_the_other_user_stays(file: ReviewedFile, pairs: list[KeyPair]) -> None:
    ingest = UserKeys(secret_arn=ARN, slot_1=pairs[0].public_key)
    reader = UserKeys(secret_arn=ARN.replace("ingest", "reader"), slot_2=pairs[1].public_key)
    file.put("reader", reader)
    file.put("ingest", ingest)
    assert (file.of("ingest"), file.of("reader")) == (ingest, reader)
    assert slots_of(reader) == (None, pairs[1].fingerprint)
    assert {path.name for path in file.path.parent.iterdir()} == {"dev.yaml", "dev.keys.yaml"}  # and no draft


def test_two_commands_at_once_lose_no_key(file: ReviewedFile, pairs: list[KeyPair]) -> None:
    """`firnline keys create` of two users: the second waits for what the first has read to be written."""
    ingest, reader = (UserKeys(secret_arn=ARN, slot_1=pair.public_key) for pair in pairs[:2])
    with _alone(file.path.parent):
        read = file._read()
        other = Thread(target=file.put, args=("reader", reader))
        other.start()
        other.join(0.2)
        file._replace(read.having("ingest", ingest))
    other.join()
    assert (file.of("ingest"), file.of("reader")) == (ingest, reader)


def test_its_text_is_for_a_review(file: ReviewedFile, pairs: list[KeyPair]) -> None:
    file.put("ingest", UserKeys(secret_arn=ARN, slot_1=pairs[0].public_key))
    text = file.path.read_text()
    assert text.startswith("# Written by `firnline keys`. Nothing secret: review and commit it.\ningest:\n")
    assert yaml.safe_load(text) == {"ingest": {"secret_arn": ARN, "slot_1": pairs[0].public_key, "slot_2": None}}
    assert file.path.stat().st_mode & 0o777 == 0o644


def test_a_write_that_fails_leaves_the_old_file(
    file: ReviewedFile, pairs: list[KeyPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    file.put("ingest", UserKeys(secret_arn=ARN, slot_1=pairs[0].public_key))
    before = file.path.read_text()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("firnline_infra.keys.file.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        file.put("ingest", UserKeys(secret_arn=ARN, slot_1=pairs[1].public_key))
    assert file.path.read_text() == before
    assert len(list(file.path.parent.iterdir())) == 2


def test_a_file_that_says_something_else_is_refused_with_all_that_is_wrong(file: ReviewedFile) -> None:
    file.path.write_text("ingest: {secret_arn: nowhere, slot_1: '-----BEGIN PRIVATE KEY-----'}\nwriter: {}\n")
    with pytest.raises(ConfigError) as caught:
        file.of("ingest")
    assert len(caught.value.problems) == 3
