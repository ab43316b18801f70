import base64

import pytest
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from firnline_infra.specification.public_key import public_key_body


def pem(key: rsa.RSAPublicKey | ec.EllipticCurvePublicKey) -> str:
    return key.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="module")
def private_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def test_pem_and_its_base64_alone_are_the_same_key(private_key: rsa.RSAPrivateKey) -> None:
    text = pem(private_key.public_key())
    body = public_key_body(text)
    assert body == public_key_body(body)
    assert base64.b64decode(body) == private_key.public_key().public_bytes(
        s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo
    )


def test_a_private_key_is_refused_and_never_repeated(private_key: rsa.RSAPrivateKey) -> None:
    text = private_key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()).decode()
    with pytest.raises(ValueError, match="is a private key") as caught:
        public_key_body(text)
    assert text.splitlines()[1] not in str(caught.value)


@pytest.mark.parametrize("form", [s.PrivateFormat.PKCS8, s.PrivateFormat.TraditionalOpenSSL])
def test_a_private_key_without_its_armour_is_refused_too(private_key: rsa.RSAPrivateKey, form: s.PrivateFormat) -> None:
    der = private_key.private_bytes(s.Encoding.DER, form, s.NoEncryption())
    with pytest.raises(ValueError, match="is a private key"):
        public_key_body(base64.b64encode(der).decode())


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter than 2048 bits"):
        public_key_body(pem(rsa.generate_private_key(65537, 1024).public_key()))


@pytest.mark.parametrize("text", ["", "not base64!", "aGVsbG8="])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="openssl"):
        public_key_body(text)


def test_another_algorithm_is_refused() -> None:
    with pytest.raises(ValueError, match="not an RSA public key"):
        public_key_body(pem(ec.generate_private_key(ec.SECP256R1()).public_key()))
