"""Where PUT's files arrive: the S3 face of internal stages, as far as the connector uses it, and their decryption.

The client encrypts with a key of the file's own (AES-CBC), and that key with the stage's (AES-ECB); what it sends with them
was measured with connector 5.2. Signatures are not checked: the session token that PUT gave out is.
"""

import base64
from collections.abc import Mapping

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from firnline_local.snowflake.catalog import Catalog, Stage
from firnline_local.snowflake.catalog.stages import CLIENT_SIDE, StagedFile

KEY, IV = "x-amz-meta-x-amz-key", "x-amz-meta-x-amz-iv"
DIGEST = "x-amz-meta-sfc-digest"


class UploadRefused(Exception):
    """In S3's words."""

    def __init__(self, code: str, status: int) -> None:
        super().__init__(code)
        self.code, self.status = code, status


def keep_upload(catalog: Catalog, path: str, headers: Mapping[str, str], body: bytes) -> None:
    with catalog.lock:
        stage, name = _place(catalog, path, headers)
        content = _decrypted(stage, headers, body) if stage.encryption == CLIENT_SIDE else body
        stage.files[name] = StagedFile(content=content, staged_at=catalog.clock(), digest=headers.get(DIGEST, ""))


def look_up(catalog: Catalog, path: str, headers: Mapping[str, str]) -> StagedFile | None:
    with catalog.lock:
        stage, name = _place(catalog, path, headers)
        return stage.files.get(name)


def _place(catalog: Catalog, path: str, headers: Mapping[str, str]) -> tuple[Stage, str]:
    number, _, name = path.partition("/")
    stage = next((one for one in catalog.account.walk() if isinstance(one, Stage) and str(one.id) == number), None)
    if stage is None:
        raise UploadRefused("NoSuchKey", 404)
    end = stage.uploads.get(headers.get("x-amz-security-token", ""))
    if end is None or end <= catalog.clock():
        raise UploadRefused("ExpiredToken", 400)
    return stage, name


def _decrypted(stage: Stage, headers: Mapping[str, str], body: bytes) -> bytes:
    try:
        wrapped, start = base64.b64decode(headers[KEY]), base64.b64decode(headers[IV])
        key = _unpadded(_decrypt(Cipher(algorithms.AES(stage.master_key), modes.ECB()), wrapped))  # noqa: S305 - the client's format
        return _unpadded(_decrypt(Cipher(algorithms.AES(key), modes.CBC(start)), body))
    except (KeyError, ValueError) as error:
        raise UploadRefused("InvalidRequest", 400) from error


def _decrypt(cipher: "Cipher[modes.CBC] | Cipher[modes.ECB]", data: bytes) -> bytes:
    decryptor = cipher.decryptor()
    return decryptor.update(data) + decryptor.finalize()


def _unpadded(data: bytes) -> bytes:
    unpadder = PKCS7(128).unpadder()
    return unpadder.update(data) + unpadder.finalize()
