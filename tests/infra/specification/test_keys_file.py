from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import rsa

from firnline_infra.keys.file import ReviewedFile
from firnline_infra.specification import load_spec
from firnline_infra.specification.errors import EncryptionKeyMissing, KeysMissing
from firnline_infra.specification.keys_file import KeysFile, UserKeys, keys_file_of, with_keys
from firnline_infra.specification.load import load_keys
from firnline_infra.specification.prerequisites import check_ready
from firnline_infra.specification.public_key import public_key_body
from firnline_infra.specification.snowflake import PublicKeys
from firnline_ingest.errors import ConfigError
from tests.infra.specifications import document, smallest

SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:firnline-dev/snowflake/ingest-a1B2c3"
Write = Callable[..., Path]


@pytest.fixture(scope="session")
def keys() -> list[str]:
    """Three public keys."""

    def public_key() -> str:
        key = rsa.generate_private_key(65537, 2048).public_key()
        return public_key_body(key.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode())

    return [public_key() for _ in range(3)]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes dev.yaml with other top-level values, and dev.keys.yaml beside it."""

    def write(keys: object, **changes: Any) -> Path:
        path = tmp_path / "dev.yaml"
        path.write_text(yaml.safe_dump(document(**changes)))
        keys_file_of(path).write_text(yaml.safe_dump(keys))
        return path

    return write


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_spec(path)
    return caught.value.problems


def test_the_keys_beside_a_specification_become_part_of_it(write: Write, keys: list[str]) -> None:
    ingest = {"slot_1": keys[0], "slot_2": keys[1], "secret_arn": SECRET}
    spec = load_spec(write({"ingest": ingest, "reader": {"slot_2": keys[2]}}))
    assert spec.snowflake.ingest.public_keys == PublicKeys(slot_1=keys[0], slot_2=keys[1])
    assert spec.snowflake.ingest.secret_arn == SECRET
    assert spec.snowflake.reader.public_keys == PublicKeys(slot_2=keys[2])


def test_the_rest_of_a_user_stays_as_the_specification_has_it(write: Write, keys: list[str]) -> None:
    path = write(
        {"reader": {"slot_1": keys[0]}},
        snowflake={"reader": {"user": "AUDITOR", "granted_to": ["ANALYST"]}},
    )
    reader = load_spec(path).snowflake.reader
    assert (reader.user, reader.granted_to, reader.public_keys.slot_1) == ("AUDITOR", ["ANALYST"], keys[0])


def test_a_key_that_both_files_give_is_told_with_its_path(write: Write, keys: list[str]) -> None:
    path = write(
        {"ingest": {"slot_1": keys[0]}},
        snowflake={"ingest": {"public_keys": {"slot_1": keys[1]}}},
    )
    assert problems(path) == [
        "snowflake.ingest.public_keys: is given in the file of keys too; remove it from one of them."
    ]


def test_a_problem_of_the_keys_is_told_with_their_file_beside_those_of_the_specification(write: Write) -> None:
    path = write({"ingets": {}}, name="Dev")
    first, second = problems(path)
    assert first.startswith("name:")
    assert second == "dev.keys.yaml: ingets: unknown name; did you mean 'ingest'?"


def test_the_keys_are_checked_against_the_specification(write: Write, keys: list[str]) -> None:
    ingest = {"slot_1": keys[0], "secret_arn": SECRET.replace("123456789012", "210987654321")}
    path = write({"ingest": ingest, "reader": {"slot_1": keys[0]}})
    same, account = problems(path)
    assert same.startswith("dev.keys.yaml: reader.slot_1: is the same key as")
    assert account == (
        "dev.keys.yaml: ingest.secret_arn: is of account 210987654321; expected 123456789012, as in aws.account."
    )


def test_a_private_key_in_the_file_is_refused_and_never_repeated(write: Write) -> None:
    private = rsa.generate_private_key(65537, 2048).private_bytes(
        s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()
    )
    path = write({"ingest": {"slot_1": private.decode()}})
    (problem,) = problems(path)
    assert problem.startswith("dev.keys.yaml: ingest.slot_1: is a private key")
    assert private.decode().splitlines()[1] not in problem


def test_the_file_that_the_keys_command_writes_is_read(tmp_path: Path, write: Write, keys: list[str]) -> None:
    path = write({})
    ReviewedFile.beside(path).put("ingest", UserKeys(secret_arn=SECRET, slot_2=keys[0]))
    assert load_keys(keys_file_of(path)) == KeysFile(ingest=UserKeys(secret_arn=SECRET, slot_2=keys[0]))
    assert load_spec(path).snowflake.ingest.public_keys == PublicKeys(slot_2=keys[0])


def test_an_empty_file_of_keys_gives_none(write: Write) -> None:
    path = write({})
    keys_file_of(path).write_text("# none yet\n")
    assert load_spec(path).snowflake.ingest.public_keys == PublicKeys()


def test_a_user_without_a_key_is_told_before_anything_is_made(keys: list[str]) -> None:
    def snowflake(**users: tuple[str, str]) -> dict[str, Any]:
        return {user: {"public_keys": {slot: key}} for user, (slot, key) in users.items()}

    with pytest.raises(KeysMissing, match=r"FIRNLINE_DEV_INGEST or FIRNLINE_DEV_READER") as caught:
        check_ready(smallest())
    assert "firnline keys create dev ingest; firnline keys create dev reader." in caught.value.next_step

    with pytest.raises(KeysMissing, match="FIRNLINE_DEV_READER") as caught:
        check_ready(smallest(snowflake=snowflake(ingest=("slot_2", keys[0]))), "environments/dev.yaml")
    assert caught.value.next_step.startswith("firnline keys create environments/dev.yaml reader.")

    with_both = smallest(snowflake=snowflake(ingest=("slot_1", keys[0]), reader=("slot_1", keys[1])))
    with pytest.raises(EncryptionKeyMissing, match="alias/firnline-dev is not recorded"):
        check_ready(with_both)
    recorded, problems = with_keys(with_both, KeysFile(encryption_key="arn:aws:kms:eu-central-1:123456789012:key/1"))
    assert problems == []
    check_ready(recorded)


def test_a_key_is_recorded_only_where_the_bootstrap_makes_one() -> None:
    skipping = smallest(aws={"key": {"origin": "skip"}})
    _, problems = with_keys(skipping, KeysFile(encryption_key="arn:aws:kms:eu-central-1:123456789012:key/1"))
    assert problems == ["encryption_key: the specification has aws.key.origin: skip; remove one of them."]
