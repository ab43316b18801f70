"""Internal stages: CREATE, PUT, LIST and REMOVE.

PUT is done by the client: the answer tells it where the files go and with which key they are encrypted before. Its
fields are those that the connector 5.2 reads (measured), and the ones that older clients do.
"""

import base64
from typing import Any

from firnline_local.snowflake.catalog import Stage, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges, NotKnown
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.catalog.stages import CLIENT_SIDE, SERVER_SIDE
from firnline_local.snowflake.sql.lexer import TokenKind
from firnline_local.snowflake.sql.properties import apply_settings, boolean, read_settings
from firnline_local.snowflake.sql.result import NUMBER, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.creation import Modifiers, read_new_object
from firnline_local.snowflake.sql.token_reader import TokenReader

BUCKET = "firnline-stages"
"""The first segment of a file's address, as the bucket of an account's stages would be."""
FILE = "file://"
MULTIPART_BYTES = 200 << 20


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
    reader.expect("( TYPE =")
    kind = reader.string()
    if kind not in (CLIENT_SIDE, SERVER_SIDE):
        raise CompilationFault(f"invalid value '{kind}' for ENCRYPTION of an internal stage")
    reader.expect(")")
    return kind


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
    """In single quotes, or as far as it goes without a blank."""
    token = reader.next
    if token is not None and token.kind is TokenKind.STRING:
        return reader.string()
    first = last = reader.take()
    while (token := reader.next) is not None and token.start == last.end:
        last = reader.take()
    return reader.sql[first.start : last.end]


def put(context: Context, reader: TokenReader) -> Result:
    """`PUT 'file:///tmp/x' @stage/path`, with PARALLEL, AUTO_COMPRESS, SOURCE_COMPRESSION and OVERWRITE."""
    local = _location(reader)
    if not local.startswith(FILE):
        raise CompilationFault(f"'{local}' is no local file: file:// and an absolute path")
    stage, path = read_location(context, reader, "READ")
    if not context.may("WRITE", stage):
        raise InsufficientPrivileges(stage.kind.name, stage.full_name)
    options = _read_options(reader)
    return Result(columns=(), transfer=_upload(context, stage, path, local.removeprefix(FILE), options))


def _read_options(reader: TokenReader) -> dict[str, Any]:
    options: dict[str, Any] = {
        "parallel": 4,
        "autoCompress": True,
        "sourceCompression": "auto_detect",
        "overwrite": False,
    }
    while not reader.at_end:
        key = reader.word()
        reader.expect("=")
        match key:
            case "PARALLEL":
                options["parallel"] = reader.integer()
            case "AUTO_COMPRESS":
                options["autoCompress"] = boolean(reader) == "true"
            case "OVERWRITE":
                options["overwrite"] = boolean(reader) == "true"
            case "SOURCE_COMPRESSION":
                options["sourceCompression"] = reader.word().lower()
            case _:
                raise NotKnown(f"{key} of PUT")
    return options


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
    """What is not there is not removed, and no error."""
    stage, path = read_location(context, reader, "WRITE")
    reader.end()
    gone = sorted(name for name in stage.files if name.startswith(path))
    for name in gone:
        del stage.files[name]
    return listing(("name", "result"), [(f"{stage.name.lower()}/{name}", "removed") for name in gone])
