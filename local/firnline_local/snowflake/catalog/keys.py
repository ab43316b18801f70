"""Public keys as Snowflake takes them: the base64 body of a PEM block, with or without its first and last line."""

import base64
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from firnline_ingest.snowflake.key import fingerprint_of
from firnline_local.snowflake.catalog.errors import DataFault

MIN_KEY_BITS = 2048
ARMOUR = re.compile(r"-----[A-Z ]+-----")


class InvalidPublicKey(DataFault):
    code = "390412"
    sql_state = "42601"

    def __init__(self, problem: str) -> None:
        super().__init__(f"New public key rejected by current policy. Reason: 'Invalid public key: {problem}'")


@dataclass(frozen=True)
class PublicKey:
    """One registered key."""

    text: str
    """As it was given: what DESC USER shows."""
    der: bytes

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises InvalidPublicKey for anything but an RSA key of at least 2048 bits."""
        body = "".join(ARMOUR.sub("", text).split())
        try:
            der = base64.b64decode(body, validate=True)
            key = serialization.load_der_public_key(der)
        except ValueError as error:
            raise InvalidPublicKey("it is not the base64 body of a PEM public key") from error
        if not isinstance(key, RSAPublicKey):
            raise InvalidPublicKey("only RSA keys are known here")
        if key.key_size < MIN_KEY_BITS:
            raise InvalidPublicKey(f"it has {key.key_size} bits, and {MIN_KEY_BITS} are the least")
        return cls(text=text, der=der)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.der)

    @cached_property
    def rsa(self) -> RSAPublicKey:
        key = serialization.load_der_public_key(self.der)
        assert isinstance(key, RSAPublicKey)
        return key
