"""Key Management Service (Service Authorization Reference, `list_awskeymanagementservice`)."""

import base64
from collections.abc import Iterator, Mapping

from firnline_local.aws.policy import Context
from tests.iam.request import Access, Request

EVERYWHERE = {"GenerateRandom", "ListAliases", "ListKeys"}
KEY_ID_BYTES = 36
ON_ALIAS = {"CreateAlias", "DeleteAlias", "UpdateAlias"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"kms:{operation}"
    if operation == "CreateKey":
        tagging = [Access("kms:TagResource", "*")] if parameters.get("Tags") else []
        return iter((Access(action, "*"), *tagging))
    if operation in EVERYWHERE:
        return iter((Access(action, "*"),))
    if operation in ON_ALIAS:
        return _alias(request)
    if operation == "ReEncrypt":
        return _re_encryption(request)
    key = parameters.get("KeyId") or _in(parameters.get("CiphertextBlob"))
    if not key:
        return None
    aliases = request.directory.key_aliases(key)
    context = {**_context(parameters.get("EncryptionContext")), **({"kms:ResourceAliases": aliases} if aliases else {})}
    return iter((Access(action, request.directory.key_arn(key), context),))


def _in(ciphertext: str | None) -> str | None:
    """Returns the key that an encrypted text names. Moto's begins with the key's id."""
    return base64.b64decode(ciphertext)[:KEY_ID_BYTES].decode("ascii", "replace") if ciphertext else None


def _alias(request: Request) -> Iterator[Access]:
    """An action on the alias and on its key."""
    alias, action = request.parameters["AliasName"], f"kms:{request.operation}"
    yield Access(action, request.arn(alias))
    yield Access(action, request.directory.key_arn(request.parameters.get("TargetKeyId") or alias))


def _re_encryption(request: Request) -> Iterator[Access]:
    """Two actions, neither with the operation's name. The key that it was encrypted with need not be named."""
    parameters = request.parameters
    source = parameters.get("SourceKeyId")
    before = _context(parameters.get("SourceEncryptionContext"))
    yield Access("kms:ReEncryptFrom", request.directory.key_arn(source) if source else "*", before)
    after = _context(parameters.get("DestinationEncryptionContext"))
    yield Access("kms:ReEncryptTo", request.directory.key_arn(parameters["DestinationKeyId"]), after)


def _context(encryption: Mapping[str, object] | None) -> Context:
    return {f"kms:EncryptionContext:{key}": str(value) for key, value in (encryption or {}).items()}
