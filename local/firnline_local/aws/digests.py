"""Whether the content of an S3 object arrived as it was sent: S3 compares it with the checksums of the request, moto does not.

User guide, "Checking object integrity". Only CRC32, the one of our writers, and Content-MD5 are compared; a body in signed
chunks bears its checksum inside, and is left alone.
"""

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterator

from firnline_local.aws.parsed_call import ParsedCall

DIGESTS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "HTTP_X_AMZ_CHECKSUM_CRC32": ("CRC32", lambda body: zlib.crc32(body).to_bytes(4, "big")),
    "HTTP_CONTENT_MD5": ("Content-MD5", lambda body: hashlib.md5(body, usedforsecurity=False).digest()),
}


def wrong_digest(call: ParsedCall) -> str | None:
    """What S3 says of a PUT whose content is not what its checksum was made of; its code is BadDigest."""
    if call.call.operation != "PUT" or "aws-chunked" in call.environ.get("HTTP_CONTENT_ENCODING", ""):
        return None
    return next(_wrong(call), None)


def _wrong(call: ParsedCall) -> Iterator[str]:
    for header, (name, digest) in DIGESTS.items():
        given = call.environ.get(header)
        if given and given != base64.b64encode(digest(call.body)).decode():
            yield f"The {name} you specified did not match the calculated checksum."
