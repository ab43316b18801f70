"""Key pairs for the users of the embedded environment: the private half in a file that only its owner reads."""

import os
from dataclasses import dataclass
from pathlib import Path

from firnline_infra.specification.public_key import public_key_body

KEY_BITS = 2048  # the least that Snowflake takes


@dataclass(frozen=True, kw_only=True)
class KeyFiles:
    private_key_file: Path
    public_key_file: Path

    @property
    def public_key(self) -> str:
        """PEM."""
        return self.public_key_file.read_text(encoding="ascii")


def make_key_pair(folder: Path, name: str) -> KeyFiles:
    """Writes `name`.pem and `name`.pub.pem, in place of what has these names."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    pair = KeyFiles(private_key_file=folder / f"{name}.pem", public_key_file=folder / f"{name}.pub.pem")
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    _write_for_owner(
        pair.private_key_file,
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    pair.public_key_file.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return pair


def public_key_body_of(folder: Path, name: str) -> str:
    """The public half that `make_key_pair` wrote, as a specification has it."""
    return public_key_body((folder / f"{name}.pub.pem").read_text(encoding="ascii"))


def _write_for_owner(path: Path, content: bytes) -> None:
    """A new file, so that the mode holds from the first byte and no process has the old one open."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
