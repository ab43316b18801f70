"""Internal stages (CREATE, PUT, LIST, REMOVE) and external volumes (CREATE and ALTER; a volume has at least one location).

PUT is done by the client: the answer tells it where the files go and with which key they are encrypted before. Its
fields are those that the connector 5.2 reads (measured), and the ones that older clients do.
"""

import base64
import re
import secrets
from collections.abc import Callable
from typing import Any

from firnline_local.snowflake.catalog import CatalogObject, ExternalVolume, Stage, StorageLocation, kinds
from firnline_local.snowflake.catalog.errors import (
    AlreadyExists,
    CompilationFault,
    DoesNotExist,
    InsufficientPrivileges,
    NotKnown,
)
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.catalog.storage import CLIENT_SIDE, SERVER_SIDE
from firnline_local.snowflake.sql.properties import apply_settings, boolean, read_settings
from firnline_local.snowflake.sql.result import NUMBER, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statement import TokenKind
from firnline_local.snowflake.sql.statements.create import Modifiers, read_new_object
from firnline_local.snowflake.sql.token_reader import TokenReader

ENCRYPTIONS = ("NONE", "AWS_SSE_S3", "AWS_SSE_KMS")


def create_external_volume(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.EXTERNAL_VOLUME, modifiers)
    reader.expect("STORAGE_LOCATIONS =")
    locations = reader.listed(_read_location)
    settings = read_settings(reader, kinds.EXTERNAL_VOLUME)
    reader.end()
    if new.exists:
        return new.exists_status()
    volume = new.create(context, ExternalVolume)
    for location in locations:
        _add(volume, location)
    apply_settings(volume, settings)
    return new.created_status()


def alter_volume(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    """`ADD STORAGE_LOCATION = (…)` and `REMOVE STORAGE_LOCATION 'name'`"""
    assert isinstance(found, ExternalVolume)
    context.require_ownership(found)
    match reader.accept_one("ADD STORAGE_LOCATION =", "REMOVE STORAGE_LOCATION"):
        case "ADD STORAGE_LOCATION =":
            _add(found, _read_location(reader))
        case "REMOVE STORAGE_LOCATION":
            _remove(found, reader.string())
        case _:
            raise NotKnown(f"ALTER EXTERNAL VOLUME … {reader.rest[:40]}")


def _add(volume: ExternalVolume, location: StorageLocation) -> None:
    if any(each.name == location.name for each in volume.locations):
        raise AlreadyExists(location.name)
    volume.locations.append(location)


def _remove(volume: ExternalVolume, name: str) -> None:
    remaining = [each for each in volume.locations if each.name != name]
    if len(remaining) == len(volume.locations):
        raise DoesNotExist("storage location", name)
    if not remaining:
        raise CompilationFault(f"The last storage location of external volume '{volume.full_name}' can't be removed.")
    volume.locations = remaining


def _read_location(reader: TokenReader) -> StorageLocation:
    """`(NAME = 'l' STORAGE_PROVIDER = 'S3' …)`; without an external id Snowflake makes one up, and so does this."""
    given = reader.enclosed_options(LOCATION_OPTIONS, of="a storage location")
    if missing := [key for key in ("NAME", "STORAGE_BASE_URL", "STORAGE_AWS_ROLE_ARN") if key not in given]:
        raise CompilationFault(f"A storage location on S3 needs {' and '.join(missing)}.")
    provider = given.get("STORAGE_PROVIDER", "")
    if provider.upper() != "S3":
        raise NotKnown(f"the storage provider {provider}: only S3")
    encryption = given.get("ENCRYPTION", {})
    return StorageLocation(
        name=given["NAME"],
        base_url=given["STORAGE_BASE_URL"],
        role_arn=given["STORAGE_AWS_ROLE_ARN"],
        external_id=given.get("STORAGE_AWS_EXTERNAL_ID") or f"FIRNLINE_SFCRole={secrets.token_hex(8)}",
        encryption=encryption.get("TYPE", "NONE"),
        kms_key_id=encryption.get("KMS_KEY_ID", ""),
    )


def _read_location_encryption(reader: TokenReader) -> dict[str, str]:
    given = reader.enclosed_options(dict.fromkeys(("TYPE", "KMS_KEY_ID"), TokenReader.string), of="ENCRYPTION")
    if given.get("TYPE") not in ENCRYPTIONS:
        raise CompilationFault(
            f"invalid value '{given.get('TYPE')}' for ENCRYPTION: expected one of {', '.join(ENCRYPTIONS)}"
        )
    return given


LOCATION_OPTIONS = {
    **dict.fromkeys(
        ("NAME", "STORAGE_PROVIDER", "STORAGE_BASE_URL", "STORAGE_AWS_ROLE_ARN", "STORAGE_AWS_EXTERNAL_ID"),
        TokenReader.string,
    ),
    "ENCRYPTION": _read_location_encryption,
}

BUCKET = "firnline-stages"
"""The first segment of a file's address, as the bucket of an account's stages would be."""
FILE = "file://"
MULTIPART_BYTES = 200 << 20
PUT_OPTIONS: dict[str, Callable[[TokenReader], Any]] = {
    "PARALLEL": TokenReader.integer,
    "AUTO_COMPRESS": boolean,
    "SOURCE_COMPRESSION": TokenReader.word,
    "OVERWRITE": boolean,
}


def create_stage(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.STAGE, modifiers)
    encryption = _read_encryption(reader) if reader.accept("ENCRYPTION =") else CLIENT_SIDE
    settings = read_settings(reader, kinds.STAGE)
    reader.end()
    if new.exists:
        return new.exists_status()
    stage = new.create(context, Stage, encryption=encryption)
    apply_settings(stage, settings)
    return new.created_status()


def _read_encryption(reader: TokenReader) -> str:
    kind = reader.enclosed_options({"TYPE": TokenReader.string}, of="ENCRYPTION").get("TYPE")
    if kind not in (CLIENT_SIDE, SERVER_SIDE):
        raise CompilationFault(f"invalid value '{kind}' for ENCRYPTION of an internal stage")
    return str(kind)


def read_location(context: Context, reader: TokenReader, privilege: str) -> tuple[Stage, str]:
    """`@db.schema.stage/path`, or the same in single quotes; the path without a slash in front."""
    text = _location(reader)
    name, _, path = text.removeprefix("@").partition("/")
    if not text.startswith("@") or name[:1] in ("~", "%"):
        raise NotKnown(f"{text[:40]} as a stage: only named ones")
    stage = context.find(Stage, read_name(name))
    context.require(privilege, stage)
    return stage, path


def _location(reader: TokenReader) -> str:
    """Reads a location in single quotes, or as far as it goes without a blank."""
    token = reader.next
    if token is not None and token.kind is TokenKind.STRING:
        return reader.string()
    first = last = reader.take()
    while (token := reader.next) is not None and token.start == last.end:
        last = reader.take()
    text = reader.sql[first.start : last.end]
    if re.search(r"[\s']", text):  # the page of PUT: such a location stands between single quotes
        raise CompilationFault(f"syntax error unexpected '{text[:40]}'.")
    return text


def put(context: Context, reader: TokenReader) -> Result:
    """`PUT 'file:///tmp/x' @stage/path`, with PARALLEL, AUTO_COMPRESS, SOURCE_COMPRESSION and OVERWRITE."""
    local = _location(reader)
    if not local.startswith(FILE):
        raise CompilationFault(f"'{local}' is not a local file: file:// and an absolute path")
    stage, path = read_location(context, reader, "READ")
    if not context.may("WRITE", stage):
        raise InsufficientPrivileges(stage.kind.name, stage.full_name)
    given = reader.options(PUT_OPTIONS, of="PUT")
    options = {
        "parallel": given.get("PARALLEL", 4),
        "autoCompress": given.get("AUTO_COMPRESS", "true") == "true",
        "sourceCompression": given.get("SOURCE_COMPRESSION", "AUTO_DETECT").lower(),
        "overwrite": given.get("OVERWRITE", "false") == "true",
    }
    return Result(columns=(), transfer=_upload(context, stage, path, local.removeprefix(FILE), options))


def _upload(context: Context, stage: Stage, path: str, local: str, options: dict[str, Any]) -> dict[str, Any]:
    folder = f"{path.rstrip('/')}/" if path else ""
    prefix = f"{stage.id}/{folder}"
    client_side = stage.encryption == CLIENT_SIDE
    key = base64.b64encode(stage.master_key).decode()
    return {
        **options,
        "command": "UPLOAD",
        "kind": None,
        "operation": "Node",
        "parameters": [],
        "statementTypeId": 0x7101,
        "src_locations": [local],
        "threshold": MULTIPART_BYTES,
        "queryId": context.query_id,
        "presignedUrls": None,
        "clientShowEncryptionParameter": True,
        "encryptionMaterial": (
            {"queryStageMasterKey": key, "queryId": context.query_id, "smkId": str(stage.id)} if client_side else None
        ),
        "stageInfo": {
            "locationType": "S3",
            "location": f"{BUCKET}/{prefix}",
            "path": prefix,
            "region": "us-east-1",
            "storageAccount": None,
            "isClientSideEncrypted": client_side,
            "presignedUrl": None,
            "useS3RegionalUrl": False,
            "useRegionalUrl": False,
            "useVirtualUrl": False,
            "creds": {
                "AWS_KEY_ID": "none",
                "AWS_SECRET_KEY": "none",
                "AWS_ID": "none",
                "AWS_KEY": "none",
                "AWS_TOKEN": stage.grant_upload(context.now),
            },
        },
    }


def list_files(context: Context, reader: TokenReader) -> Result:
    stage, path = read_location(context, reader, "READ")
    reader.end()
    rows = [
        (f"{stage.name.lower()}/{name}", str(len(file.content)), file.digest, f"{file.staged_at:%a, %d %b %Y %T} GMT")
        for name, file in sorted(stage.files.items())
        if name.startswith(path)
    ]
    return listing(("name", ("size", NUMBER), "md5", "last_modified"), rows)


def remove_files(context: Context, reader: TokenReader) -> Result:
    """Removes files; what is not there is not removed, and is not an error."""
    stage, path = read_location(context, reader, "WRITE")
    reader.end()
    gone = sorted(name for name in stage.files if name.startswith(path))
    for name in gone:
        del stage.files[name]
    return listing(("name", "result"), [(f"{stage.name.lower()}/{name}", "removed") for name in gone])
