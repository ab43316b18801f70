"""An account without a server, at a time that only moves when told, and its administrator's key."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog import Catalog


@dataclass
class Clock:
    now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **elapsed: float) -> None:
        self.now += timedelta(**elapsed)


def pem(key: rsa.RSAPrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="session")
def admin_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="session")
def other_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def catalog(admin_key: rsa.RSAPrivateKey, clock: Clock) -> Iterator[Catalog]:
    catalog = Catalog("firnline", admin_public_key=pem(admin_key), clock=clock)
    yield catalog
    catalog.close()
