"""The properties that each kind of object has, how the value of each is written, and the `KEY = value` lists of CREATE and ALTER.

COMMENT goes with every kind, the parameters of `parameters.py` with theirs; the tables here are the properties proper. What
an object keeps of them is text: lists are JSON. A key that the kind does not have is refused by name.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network

from firnline_local.snowflake.catalog import CatalogObject, ConfiguredObject, ExternalVolume, User, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.names import display, read_identifier
from firnline_local.snowflake.catalog.tables import TABLE_SWITCHES
from firnline_local.snowflake.catalog.users import KEY_SLOTS, PublicKey
from firnline_local.snowflake.sql.parameters import OBJECT_PARAMETERS
from firnline_local.snowflake.sql.statement import TokenKind
from firnline_local.snowflake.sql.token_reader import TokenReader

ValueReader = Callable[[TokenReader], str]
PERSONAL = ("FIRST_NAME", "LAST_NAME", "MUST_CHANGE_PASSWORD", "PASSWORD")
"""Properties that only a person has."""


def text(reader: TokenReader) -> str:
    return reader.string()


def integer(reader: TokenReader) -> str:
    return str(reader.integer())


def boolean(reader: TokenReader) -> str:
    word = reader.word()
    if word not in ("TRUE", "FALSE"):
        raise CompilationFault(f"invalid boolean value '{word}'")
    return word.lower()


def identifier(reader: TokenReader) -> str:
    """A name, which may also be written as a string."""
    token = reader.next
    return read_identifier(reader.string()) if token and token.kind is TokenKind.STRING else reader.identifier()


def dotted_name(reader: TokenReader) -> str:
    return display(*reader.name())


def word(reader: TokenReader) -> str:
    """A keyword, which may also be written as a string."""
    token = reader.next
    return reader.string().upper() if token and token.kind is TokenKind.STRING else reader.word()


def one_of(*values: str) -> ValueReader:
    def read(reader: TokenReader) -> str:
        value = word(reader)
        if value not in values:
            raise CompilationFault(f"invalid value '{value}': expected one of {', '.join(values)}")
        return value

    return read


def strings(reader: TokenReader) -> str:
    return json.dumps(reader.listed(TokenReader.string, may_be_empty=True))


def names(reader: TokenReader) -> str:
    return json.dumps(reader.listed(dotted_name, may_be_empty=True))


def network(reader: TokenReader) -> str:
    text = reader.string()
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise CompilationFault(f"invalid value '{text}' for an IPv4 address or CIDR range") from None
    return text


def networks(reader: TokenReader) -> str:
    return json.dumps(reader.listed(network, may_be_empty=True))


def some_of(*values: str) -> ValueReader:
    """A list of these words."""

    def read(reader: TokenReader) -> str:
        found = [text.upper() for text in reader.listed(TokenReader.string, may_be_empty=True)]
        for each in found:
            if each not in values:
                raise CompilationFault(f"invalid value '{each}': expected some of {', '.join(values)}")
        return json.dumps(found)

    return read


def public_key(reader: TokenReader) -> str:
    given = reader.string()
    PublicKey.read(given)
    return given


def any_value(reader: TokenReader) -> str:
    """A parameter's value, whatever its type."""
    token = reader.next
    if token is None or token.kind is TokenKind.NUMBER or token.word == "-":
        return integer(reader)
    if token.kind is TokenKind.STRING:
        return reader.string()
    name = reader.name()
    return name[0].lower() if name in (("TRUE",), ("FALSE",)) else display(*name)


def workload_identity(reader: TokenReader) -> str:
    """(TYPE = AWS ARN = '…'): kept as its parts, and no login here takes it."""
    given = reader.enclosed_options({"TYPE": word, "ARN": text}, of="WORKLOAD_IDENTITY")
    return " ".join(f"{key}={value}" for key, value in given.items())


WAREHOUSE_SIZES = {
    "XSMALL": "X-Small", "SMALL": "Small", "MEDIUM": "Medium", "LARGE": "Large", "XLARGE": "X-Large",
    "XXLARGE": "2X-Large", "XXXLARGE": "3X-Large", "X4LARGE": "4X-Large", "X5LARGE": "5X-Large", "X6LARGE": "6X-Large",
}  # fmt: skip # a paragraph, not a column
"""Sizes as they are kept, and as SHOW WAREHOUSES shows them."""
SPELLINGS = {
    "X2LARGE": "XXLARGE",
    "X3LARGE": "XXXLARGE",
    **{shown.upper(): kept for kept, shown in WAREHOUSE_SIZES.items()},
}


def warehouse_size(reader: TokenReader) -> str:
    given = word(reader)
    size = SPELLINGS.get(given, given)
    if size not in WAREHOUSE_SIZES:
        raise CompilationFault(
            f"invalid value '{given}' for WAREHOUSE_SIZE: expected one of {', '.join(WAREHOUSE_SIZES)}"
        )
    return size


PROPERTIES: dict[ObjectKind, dict[str, ValueReader]] = {
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
        "PASSWORD": text,
        "WORKLOAD_IDENTITY": workload_identity,
        "DAYS_TO_EXPIRY": integer,
        "MINS_TO_UNLOCK": integer,
        **dict.fromkeys(KEY_SLOTS, public_key),
    },
    kinds.WAREHOUSE: {
        "WAREHOUSE_TYPE": one_of("STANDARD", "SNOWPARK-OPTIMIZED"),
        "WAREHOUSE_SIZE": warehouse_size,
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
        "RESOURCE_CONSTRAINT": word,
        "GENERATION": word,
    },
    kinds.NETWORK_POLICY: {
        "ALLOWED_NETWORK_RULE_LIST": names,
        "BLOCKED_NETWORK_RULE_LIST": names,
        "ALLOWED_IP_LIST": networks,
        "BLOCKED_IP_LIST": networks,
    },
    kinds.NETWORK_RULE: {
        "TYPE": one_of("IPV4", "AWSVPCEID", "HOST_PORT"),
        "MODE": one_of("INGRESS", "EGRESS"),
        "VALUE_LIST": strings,
    },
    kinds.AUTHENTICATION_POLICY: {
        "AUTHENTICATION_METHODS": some_of(
            "ALL", "SAML", "PASSWORD", "OAUTH", "KEYPAIR", "PROGRAMMATIC_ACCESS_TOKEN", "WORKLOAD_IDENTITY"
        ),
        "CLIENT_TYPES": some_of("ALL", "SNOWFLAKE_UI", "DRIVERS", "SNOWFLAKE_CLI", "SNOWSQL"),
        "SECURITY_INTEGRATIONS": strings,
        "MFA_ENROLLMENT": one_of("REQUIRED", "REQUIRED_PASSWORD_ONLY", "OPTIONAL"),
    },
    kinds.EXTERNAL_VOLUME: {"ALLOW_WRITES": boolean},
    kinds.TABLE: {
        **dict.fromkeys(TABLE_SWITCHES, boolean),
        "ICEBERG_VERSION": integer,
        "BASE_LOCATION": text,
    },
    kinds.PIPE: {"PIPE_EXECUTION_PAUSED": boolean},
}


@dataclass
class Settings:
    """The settings of one statement."""

    comment: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)


def read_settings(
    reader: TokenReader, kind: ObjectKind, *, stops: Iterable[str] = (), into: Settings | None = None
) -> Settings:
    """Reads to the end of the statement, or to one of the keywords. Raises NotKnown for a key that the kind lacks."""
    settings = Settings() if into is None else into
    while not reader.at_end and not any(reader.starts(stop) for stop in stops):
        reader.accept("WITH")
        key = reader.word()
        if not _is_known(key, kind):
            raise NotKnown(f"the property {key} of {kind.name}")
        reader.expect("=")
        _read_setting(reader, kind, key, settings)
        reader.accept(",")
    return settings


def read_keys(reader: TokenReader, kind: ObjectKind) -> list[str]:
    """Reads the keys that UNSET names. Raises NotKnown for a key that the kind lacks."""
    keys = [reader.word()]
    while reader.accept(",") or not reader.at_end:
        keys.append(reader.word())
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
    """Puts properties back to their defaults; unsetting a key that is not set is not an error."""
    properties: dict[str, str] = found.properties if isinstance(found, ConfiguredObject) else {}
    for key in keys:
        if key == "COMMENT":
            found.comment = ""
        found.parameters.pop(key, None)
        properties.pop(key, None)
        if isinstance(found, User):
            found.public_keys.pop(key, None)


def refuse_impossible(kind: ObjectKind, properties: Mapping[str, str]) -> None:
    """Raises CompilationFault for properties that don't go together."""
    if kind is kinds.USER and properties.get("TYPE") == "SERVICE":
        for key in PERSONAL:
            if key in properties:
                raise CompilationFault(f"Cannot set {key} on users with TYPE=SERVICE.")


def _apply_to_user(user: User, properties: Mapping[str, str]) -> None:
    refuse_impossible(user.kind, {**user.properties, **properties})
    user.public_keys.update({slot: PublicKey.read(properties[slot]) for slot in KEY_SLOTS if slot in properties})
    user.properties.update({key: value for key, value in properties.items() if key not in KEY_SLOTS})


def _read_setting(reader: TokenReader, kind: ObjectKind, key: str, settings: Settings) -> None:
    if key == "COMMENT":
        settings.comment = reader.string()
    elif key in PROPERTIES.get(kind, {}):
        settings.properties[key] = PROPERTIES[kind][key](reader)
    else:
        settings.parameters[key] = any_value(reader)


def _is_known(key: str, kind: ObjectKind) -> bool:
    is_parameter = key in OBJECT_PARAMETERS and kind in OBJECT_PARAMETERS[key].on
    return key == "COMMENT" or key in PROPERTIES.get(kind, {}) or is_parameter
