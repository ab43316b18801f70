"""CREATE and ALTER EXTERNAL VOLUME: the locations, of which a volume has at least one."""

import secrets

from firnline_local.snowflake.catalog import CatalogObject, ExternalVolume, StorageLocation, kinds
from firnline_local.snowflake.catalog.errors import AlreadyExists, CompilationFault, DoesNotExist, NotKnown
from firnline_local.snowflake.sql.properties import apply_settings, read_settings
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.creation import Modifiers, read_new_object
from firnline_local.snowflake.sql.token_reader import TokenReader

KEYS = {
    "NAME": "name",
    "STORAGE_PROVIDER": "provider",
    "STORAGE_BASE_URL": "base_url",
    "STORAGE_AWS_ROLE_ARN": "role_arn",
    "STORAGE_AWS_EXTERNAL_ID": "external_id",
}
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
    read: dict[str, str] = {}
    reader.expect("(")
    while not reader.accept(")"):
        key = reader.word()
        reader.expect("=")
        if key == "ENCRYPTION":
            read |= _read_encryption(reader)
        elif key in KEYS:
            read[KEYS[key]] = reader.string()
        else:
            raise NotKnown(f"the property {key} of a storage location")
        reader.accept(",")
    if missing := [key for key in ("NAME", "STORAGE_BASE_URL", "STORAGE_AWS_ROLE_ARN") if KEYS[key] not in read]:
        raise CompilationFault(f"A storage location on S3 needs {' and '.join(missing)}.")
    if read.get("provider", "").upper() != "S3":
        raise NotKnown(f"the storage provider {read.get('provider')}: only S3")
    read.setdefault("external_id", f"FIRNLINE_SFCRole={secrets.token_hex(8)}")
    return StorageLocation(**{**read, "provider": "S3"})


def _read_encryption(reader: TokenReader) -> dict[str, str]:
    reader.expect("( TYPE =")
    kind = reader.string()
    if kind not in ENCRYPTIONS:
        raise CompilationFault(f"invalid value '{kind}' for ENCRYPTION: expected one of {', '.join(ENCRYPTIONS)}")
    key = ""
    if reader.accept("KMS_KEY_ID"):
        reader.expect("=")
        key = reader.string()
    reader.expect(")")
    return {"encryption": kind, "kms_key_id": key}
