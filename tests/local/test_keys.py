from pathlib import Path

from firnline_infra.specification.public_key import public_key_body
from firnline_ingest.snowflake.key import SigningKey
from firnline_local.keys import make_key_pair


def test_only_the_owner_reads_the_private_half(tmp_path: Path) -> None:
    pair = make_key_pair(tmp_path / "keys", "ingest")
    assert pair.private_key_file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700


def test_the_halves_belong_together_and_are_what_the_specification_takes(tmp_path: Path) -> None:
    pair = make_key_pair(tmp_path, "ingest")
    assert public_key_body(pair.public_key)
    SigningKey(pair.private_key_file.read_text(), "the test").token("ACCOUNT", "USER")


def test_a_new_pair_takes_the_place_of_the_old(tmp_path: Path) -> None:
    first = make_key_pair(tmp_path, "ingest").public_key
    (tmp_path / "ingest.pem").chmod(0o644)
    second = make_key_pair(tmp_path, "ingest")
    assert second.public_key != first
    assert second.private_key_file.stat().st_mode & 0o777 == 0o600
