"""Public keys, with and without their armour."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog.keys import InvalidPublicKey, PublicKey


def armoured(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def test_a_key_is_the_same_with_its_armour_or_without(admin_key: rsa.RSAPrivateKey) -> None:
    whole = armoured(admin_key)
    body = "".join(whole.splitlines()[1:-1])

    assert PublicKey.read(body).fingerprint == PublicKey.read(whole).fingerprint
    assert PublicKey.read(body).text == body
    assert PublicKey.read(whole).fingerprint.startswith("SHA256:")
    assert PublicKey.read(whole).rsa.public_numbers() == admin_key.public_key().public_numbers()


def test_what_is_no_rsa_key_of_2048_bits_is_refused() -> None:
    weak = rsa.generate_private_key(65537, 1024)
    curve = ec.generate_private_key(ec.SECP256R1())

    for text, problem in (
        (armoured(weak), "1024 bits"),
        (armoured(curve), "RSA"),
        ("nonsense", "base64"),
        ("", "base64"),
    ):
        with pytest.raises(InvalidPublicKey, match=problem):
            PublicKey.read(text)
