import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_public_key,
    load_pem_private_key,
)

from firnline_infra.keys.pair import KeyPair, new_pair, pair_of
from firnline_infra.specification.public_key import public_key_body
from firnline_ingest.snowflake.key import SigningKey


def test_a_new_pair_is_one_that_engine_and_specification_take() -> None:
    pair = new_pair()
    key = load_pem_private_key(pair.private_pem.encode(), password=None)
    assert key.key_size == 3072
    assert load_der_public_key(base64.b64decode(pair.public_key)) == key.public_key()
    assert public_key_body(pair.public_key) == pair.public_key
    assert SigningKey(pair.private_pem, "test").fingerprint == pair.fingerprint
    digest = hashlib.sha256(base64.b64decode(pair.public_key)).digest()
    assert pair.fingerprint == "SHA256:" + base64.b64encode(digest).decode()


def test_a_pair_prints_nothing_but_its_fingerprint(pairs: list[KeyPair]) -> None:
    pair = pairs[0]
    assert str(pair) == pair.fingerprint
    assert "PRIVATE" not in repr(pair)
    assert "MII" not in repr(pair)


def test_text_that_is_no_rsa_key_is_refused_without_being_shown() -> None:
    elliptic = ec.generate_private_key(ec.SECP256R1())
    pem = elliptic.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    with pytest.raises(ValueError, match="not an RSA key") as caught:
        pair_of(pem)
    assert pem.splitlines()[1] not in str(caught.value)
    with pytest.raises(ValueError, match="no private key in PEM or DER form"):
        pair_of("hunter2")
