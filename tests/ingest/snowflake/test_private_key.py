"""The forms that people have a private key in: read, or refused with the line that converts it."""

import base64
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake.current_key import CurrentKey
from firnline_ingest.snowflake.key import SigningKey, key_in_file
from tests.fakes.configs import SNOWFLAKE, config

KEY = rsa.generate_private_key(65537, 2048)
PEM = KEY.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
PKCS1 = KEY.private_bytes(s.Encoding.PEM, s.PrivateFormat.TraditionalOpenSSL, s.NoEncryption())
PUBLIC = KEY.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
BAG = b"Bag Attributes\n    friendlyName: x\nKey Attributes: <No Attributes>\n"
READ = {
    "pkcs8": PEM,
    "pkcs1": PKCS1,
    "bom": b"\xef\xbb\xbf" + PEM,
    "crlf": PEM.replace(b"\n", b"\r\n"),
    "indented": b"\n".join(b"    " + line for line in PEM.splitlines()),
    "quoted": b'"' + PEM.rstrip() + b'"',
    "quoted-lines": b"\n".join(b"'" + line + b"'" for line in PEM.splitlines()),
    "escaped": PEM.replace(b"\n", b"\\n"),
    "bag-attributes": BAG + PEM,
    "public-behind": PEM + PUBLIC,
    "public-in-front": PUBLIC + PEM,
    "der": KEY.private_bytes(s.Encoding.DER, s.PrivateFormat.PKCS8, s.NoEncryption()),
    "der-pkcs1": KEY.private_bytes(s.Encoding.DER, s.PrivateFormat.TraditionalOpenSSL, s.NoEncryption()),
    "utf-16": PEM.decode().encode("utf-16"),
    "utf-16-le": PEM.decode().encode("utf-16-le"),
    "utf-16-be": PEM.decode().encode("utf-16-be"),
}
CURVE = ec.generate_private_key(ec.SECP256R1())
PASSPHRASE = s.BestAvailableEncryption(b"pw")
REFUSED = {
    "it is encrypted": KEY.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, PASSPHRASE),
    "it is encrypted ": KEY.private_bytes(s.Encoding.PEM, s.PrivateFormat.TraditionalOpenSSL, PASSPHRASE),
    "it is encrypted, or": KEY.private_bytes(s.Encoding.DER, s.PrivateFormat.PKCS8, PASSPHRASE),
    "it is not an RSA key": CURVE.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()),
    "it has OpenSSH's own form": KEY.private_bytes(s.Encoding.PEM, s.PrivateFormat.OpenSSH, s.NoEncryption()),
    "it holds a public key": PUBLIC,
    "it is empty": b" \n",
    "it holds no private key in PEM or DER form": base64.b64encode(PEM),
    "it is damaged": PEM.replace(PEM[60:64], b"!!!!"),
    "it is neither text nor DER": b"\x89PNG\r\n\x1a\n",
}


@pytest.mark.parametrize("content", READ.values(), ids=READ)
def test_a_key_is_read_in_the_form_that_people_have_it_in(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    key = key_in_file(file)
    assert key.pem == PEM.decode()
    assert key.fingerprint == SigningKey(PEM, "test").fingerprint


@pytest.mark.parametrize(("why", "content"), REFUSED.items(), ids=REFUSED)
def test_what_is_no_key_is_refused_with_the_line_that_converts_one(why: str, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(SnowflakeError) as raised:
        key_in_file(file)
    error = raised.value
    assert error.id == "FL-3001"
    assert why.strip() in error.what
    assert "openssl pkcs8 -topk8 -nocrypt -in KEY -out rsa_key.p8" in error.next_step


def test_a_variable_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", READ["escaped"].decode())
    assert CurrentKey(config(), lambda: None).read().pem == PEM.decode()


@pytest.mark.parametrize("content", [b"\x30\x80\xff", b"\xff\xfe\x00", b"\x80", b""])
def test_a_running_engine_keeps_its_key_where_another_file_holds_none(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(PEM)
    where: dict[str, Any] = SNOWFLAKE | {"private_key": {"file": str(file)}}
    current = CurrentKey(config(snowflake=where), lambda: None)
    before = current.read().fingerprint
    file.write_bytes(content)
    assert current.read().fingerprint == before
