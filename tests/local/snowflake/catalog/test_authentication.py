"""Only a token that a registered key has signed, for this account and now, proves who asks."""

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, User
from firnline_local.snowflake.catalog.users import PublicKey

USER = "FIRNLINE_ADMIN"


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def fingerprint(key: RSAPrivateKey) -> str:
    return PublicKey.read(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    ).fingerprint


def token(key: RSAPrivateKey, catalog: Catalog, *, user: str = USER, account: str = "FIRNLINE", **changed: Any) -> str:
    now = int(catalog.clock().timestamp())
    subject = f"{account}.{user}"
    claims = {"iss": f"{subject}.{fingerprint(key)}", "sub": subject, "iat": now, "exp": now + 60, **changed}
    signed = f"{encoded(json.dumps({'alg': 'RS256', 'typ': 'JWT'}).encode())}.{encoded(json.dumps(claims).encode())}"
    return f"{signed}.{encoded(key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


def test_the_owner_of_a_registered_key_is_who_they_say(catalog: Catalog, admin_key: RSAPrivateKey) -> None:
    assert catalog.authenticate(token(admin_key, catalog)).name == USER


@pytest.mark.parametrize("account", ["firnline", "FIRNLINE"])
def test_the_case_of_the_account_does_not_matter(catalog: Catalog, admin_key: RSAPrivateKey, account: str) -> None:
    assert catalog.authenticate(token(admin_key, catalog, account=account)).name == USER


def test_times_may_be_milliseconds_as_the_streaming_sdk_sends_them(catalog: Catalog, admin_key: RSAPrivateKey) -> None:
    now = int(catalog.clock().timestamp() * 1000)

    assert catalog.authenticate(token(admin_key, catalog, iat=now, exp=now + 1)).name == USER
    with pytest.raises(AuthenticationFailed, match="expired"):
        catalog.authenticate(token(admin_key, catalog, iat=now - 2, exp=now - 1))


def test_a_key_in_the_second_slot_is_as_good(
    catalog: Catalog, admin_key: RSAPrivateKey, other_key: RSAPrivateKey
) -> None:
    user = catalog.authenticate(token(admin_key, catalog))
    pem = other_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    user.public_keys["RSA_PUBLIC_KEY_2"] = PublicKey.read(pem)

    assert catalog.authenticate(token(other_key, catalog)) is user
    assert catalog.authenticate(token(admin_key, catalog)) is user


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"user": "NOBODY"}, "no user is called NOBODY"),
        ({"account": "ELSEWHERE"}, "for the account ELSEWHERE"),
        ({"sub": "FIRNLINE.SOMEBODY"}, "subject"),
        ({"exp": 1}, "expired"),
        ({"iat": 4_000_000_000, "exp": 4_000_000_060}, "in the future"),
        ({"exp": "soon"}, "not a time"),
        ({"iss": "FIRNLINE"}, "can't be read"),
    ],
)
def test_a_token_that_is_wrong_is_refused_with_its_reason(
    catalog: Catalog, admin_key: RSAPrivateKey, changed: dict[str, Any], reason: str
) -> None:
    with pytest.raises(AuthenticationFailed, match=reason) as caught:
        catalog.authenticate(token(admin_key, catalog, **changed))

    assert (caught.value.code, caught.value.message) == ("390144", "JWT token is invalid.")


def test_a_key_that_is_not_registered_is_refused(catalog: Catalog, other_key: RSAPrivateKey) -> None:
    with pytest.raises(AuthenticationFailed, match="is not registered with the user FIRNLINE_ADMIN"):
        catalog.authenticate(token(other_key, catalog))


def test_a_signature_by_another_key_is_refused(
    catalog: Catalog, admin_key: RSAPrivateKey, other_key: RSAPrivateKey
) -> None:
    forged = token(other_key, catalog, iss=f"FIRNLINE.{USER}.{fingerprint(admin_key)}")

    with pytest.raises(AuthenticationFailed, match="signature"):
        catalog.authenticate(forged)


@pytest.mark.parametrize("text", ["", "a.b", "a.b.c", "None", "e30.e30.e30"])
def test_what_is_no_token_is_refused(catalog: Catalog, text: str) -> None:
    with pytest.raises(AuthenticationFailed, match="can't be read"):
        catalog.authenticate(text)


def test_a_disabled_user_is_refused(catalog: Catalog, admin_key: RSAPrivateKey) -> None:
    user: User = catalog.authenticate(token(admin_key, catalog))
    user.properties["DISABLED"] = "true"

    with pytest.raises(AuthenticationFailed, match="disabled") as caught:
        catalog.authenticate(token(admin_key, catalog))
    assert caught.value.code == "390101"
