"""`KEY = value` lists of CREATE and ALTER: which keys a kind of object has, and how their values are written.

A key that is in no table here is refused by name. COMMENT goes with every kind, the parameters of `parameters.py` with
theirs; the tables below are the properties proper.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from firnline_infra.local.snowflake.catalog import CatalogObject, User, Warehouse, kinds
from firnline_infra.local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_infra.local.snowflake.catalog.keys import PublicKey
from firnline_infra.local.snowflake.catalog.kinds import Kind
from firnline_infra.local.snowflake.catalog.names import display, read_identifier
from firnline_infra.local.snowflake.catalog.users import KEY_SLOTS
from firnline_infra.local.snowflake.sql.lexer import TokenKind
from firnline_infra.local.snowflake.sql.parameters import OBJECT_PARAMETERS
from firnline_infra.local.snowflake.sql.words import Words

Reader = Callable[[Words], str]


def text(words: Words) -> str:
    return words.string()


def integer(words: Words) -> str:
    return str(words.integer())


def boolean(words: Words) -> str:
    word = words.word()
    if word not in ("TRUE", "FALSE"):
        raise CompilationFault(f"invalid boolean value '{word}'")
    return word.lower()


def identifier(words: Words) -> str:
    """A name, which may also be written as a string."""
    token = words.next
    return read_identifier(words.string()) if token and token.kind is TokenKind.STRING else words.identifier()


def dotted_name(words: Words) -> str:
    return display(*words.name())


def word(words: Words) -> str:
    """A keyword, which may also be written as a string."""
    token = words.next
    return words.string().upper() if token and token.kind is TokenKind.STRING else words.word()


def one_of(*values: str) -> Reader:
    def read(words: Words) -> str:
        value = word(words)
        if value not in values:
            raise CompilationFault(f"invalid value '{value}': expected one of {', '.join(values)}")
        return value

    return read


def strings(words: Words) -> str:
    """A list of strings, kept as it was written."""
    return words.parenthesised().strip()


def public_key(words: Words) -> str:
    given = words.string()
    PublicKey.read(given)
    return given


def any_value(words: Words) -> str:
    """A parameter's value, whatever its type."""
    token = words.next
    if token is None or token.kind is TokenKind.NUMBER or token.word == "-":
        return integer(words)
    if token.kind is TokenKind.STRING:
        return words.string()
    name = words.name()
    return name[0].lower() if name in (("TRUE",), ("FALSE",)) else display(*name)


PERSONAL = ("FIRST_NAME", "LAST_NAME", "MUST_CHANGE_PASSWORD")
"""What only a person has."""

PROPERTIES: dict[Kind, dict[str, Reader]] = {
    kinds.USER: {
        "LOGIN_NAME": text,
        "DISPLAY_NAME": text,
        "FIRST_NAME": text,
        "LAST_NAME": text,
        "EMAIL": text,
        "TYPE": one_of("PERSON", "SERVICE", "LEGACY_SERVICE"),
        "DISABLED": boolean,
        "DEFAULT_WAREHOUSE": identifier,
        "DEFAULT_NAMESPACE": dotted_name,
        "DEFAULT_ROLE": identifier,
        "DEFAULT_SECONDARY_ROLES": strings,
        "MUST_CHANGE_PASSWORD": boolean,
        "DAYS_TO_EXPIRY": integer,
        "MINS_TO_UNLOCK": integer,
        **dict.fromkeys(KEY_SLOTS, public_key),
    },
    kinds.WAREHOUSE: {
        "WAREHOUSE_TYPE": one_of("STANDARD", "SNOWPARK-OPTIMIZED"),
        "WAREHOUSE_SIZE": word,
        "MAX_CLUSTER_COUNT": integer,
        "MIN_CLUSTER_COUNT": integer,
        "SCALING_POLICY": one_of("STANDARD", "ECONOMY"),
        "AUTO_SUSPEND": integer,
        "AUTO_RESUME": boolean,
        "INITIALLY_SUSPENDED": boolean,
        "RESOURCE_MONITOR": identifier,
        "ENABLE_QUERY_ACCELERATION": boolean,
        "QUERY_ACCELERATION_MAX_SCALE_FACTOR": integer,
        "WAIT_FOR_COMPLETION": boolean,
    },
    kinds.TABLE: {
        "ENABLE_SCHEMA_EVOLUTION": boolean,
        "ERROR_LOGGING": boolean,
        "ROW_TIMESTAMP": boolean,
        "CHANGE_TRACKING": boolean,
    },
    kinds.PIPE: {"PIPE_EXECUTION_PAUSED": boolean},
}


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
    elif isinstance(found, Warehouse):
        found.properties.update(settings.properties)


def unset(found: CatalogObject, keys: Iterable[str]) -> None:
    """Back to the default; a key that is not set is none the worse."""
    properties: dict[str, str] = found.properties if isinstance(found, User | Warehouse) else {}
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
