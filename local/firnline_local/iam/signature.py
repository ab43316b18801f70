"""Who signed a request, and for which service: the scope of a Signature Version 4 credential. Nobody checks the signature."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Credential:
    """All empty where there is none."""

    access_key: str = ""
    region: str = ""
    service: str = ""


def credential_of(authorization: str, presigned: str = "") -> Credential:
    """From the Authorization header, or from the X-Amz-Credential of a presigned URL."""
    signed = authorization.partition("Credential=")[2].partition(",")[0]
    match (signed or presigned).split("/"):
        case [*key, _, region, service, "aws4_request"] if key:
            return Credential("/".join(key), region, service)
    return Credential()
