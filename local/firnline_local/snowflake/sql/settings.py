"""`KEY = value` lists of CREATE and ALTER: read, applied, and taken back.

A key that the kind does not have, in `properties.py` or `parameters.py`, is refused by name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from firnline_local.snowflake.catalog import CatalogObject, ConfiguredObject, ExternalVolume, User, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.keys import PublicKey
from firnline_local.snowflake.catalog.kinds import Kind
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.sql.parameters import OBJECT_PARAMETERS
from firnline_local.snowflake.sql.properties import PROPERTIES, any_value
from firnline_local.snowflake.sql.words import Words

PERSONAL = ("FIRST_NAME", "LAST_NAME", "MUST_CHANGE_PASSWORD")
"""What only a person has."""


@dataclass
class Settings:
    """What a statement sets."""

    comment: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)


def read_settings(words: Words, kind: Kind, *, stops: Iterable[str] = ()) -> Settings:
    """Reads to the end of the statement, or to one of the keywords. Raises NotKnown for a key that the kind lacks."""
    settings = Settings()
    while not words.at_end and not any(words.starts(stop) for stop in stops):
        words.accept("WITH")
        key = words.word()
        if not _is_known(key, kind):
            raise NotKnown(f"the property {key} of {kind.name}")
        words.expect("=")
        _read_setting(words, kind, key, settings)
        words.accept(",")
    return settings


def read_keys(words: Words, kind: Kind) -> list[str]:
    """What UNSET names. Raises NotKnown for a key that the kind lacks."""
    keys = [words.word()]
    while words.accept(",") or not words.at_end:
        keys.append(words.word())
    for key in keys:
        if not _is_known(key, kind):
            raise NotKnown(f"the property {key} of {kind.name}")
    return keys


def apply_settings(found: CatalogObject, settings: Settings) -> None:
    """Sets them on an object that keeps its properties as text."""
    found.comment = found.comment if settings.comment is None else settings.comment
    found.parameters.update(settings.parameters)
    if isinstance(found, User):
        _apply_to_user(found, settings.properties)
    elif isinstance(found, ConfiguredObject):
        found.properties.update(settings.properties)
    elif isinstance(found, ExternalVolume) and "ALLOW_WRITES" in settings.properties:
        found.allow_writes = settings.properties["ALLOW_WRITES"] == "true"


def unset(found: CatalogObject, keys: Iterable[str]) -> None:
    """Back to the default; a key that is not set is none the worse."""
    properties: dict[str, str] = found.properties if isinstance(found, ConfiguredObject) else {}
    for key in keys:
        if key == "COMMENT":
            found.comment = ""
        found.parameters.pop(key, None)
        properties.pop(key, None)
        if isinstance(found, User):
            found.public_keys.pop(key, None)


def refuse_impossible(kind: Kind, properties: Mapping[str, str]) -> None:
    """Raises CompilationFault for properties that don't go together."""
    if kind is kinds.USER and properties.get("TYPE") == "SERVICE":
        for key in PERSONAL:
            if key in properties:
                raise CompilationFault(f"Cannot set {key} on users with TYPE=SERVICE.")


def _apply_to_user(user: User, properties: Mapping[str, str]) -> None:
    refuse_impossible(user.kind, {**user.properties, **properties})
    user.public_keys.update({slot: PublicKey.read(properties[slot]) for slot in KEY_SLOTS if slot in properties})
    user.properties.update({key: value for key, value in properties.items() if key not in KEY_SLOTS})


def _read_setting(words: Words, kind: Kind, key: str, settings: Settings) -> None:
    if key == "COMMENT":
        settings.comment = words.string()
    elif key in PROPERTIES.get(kind, {}):
        settings.properties[key] = PROPERTIES[kind][key](words)
    else:
        settings.parameters[key] = any_value(words)


def _is_known(key: str, kind: Kind) -> bool:
    is_parameter = key in OBJECT_PARAMETERS and kind in OBJECT_PARAMETERS[key].on
    return key == "COMMENT" or key in PROPERTIES.get(kind, {}) or is_parameter
