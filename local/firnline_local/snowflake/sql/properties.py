"""The properties that each kind of object has, and how the value of each is written.

COMMENT goes with every kind, the parameters of `parameters.py` with theirs; these are the properties proper. What an
object keeps of them is text: lists are JSON.
"""

import json
from collections.abc import Callable
from ipaddress import ip_network

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.catalog.keys import PublicKey
from firnline_local.snowflake.catalog.kinds import Kind
from firnline_local.snowflake.catalog.names import display, read_identifier
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.sql.lexer import TokenKind
from firnline_local.snowflake.sql.words import Words

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


def listed(words: Words, item: Callable[[Words], str]) -> list[str]:
    """`(a, b)`, which may be empty."""
    words.expect("(")
    if words.accept(")"):
        return []
    items = [item(words)]
    while words.accept(","):
        items.append(item(words))
    words.expect(")")
    return items


def strings(words: Words) -> str:
    return json.dumps(listed(words, Words.string))


def names(words: Words) -> str:
    return json.dumps(listed(words, dotted_name))


def network(words: Words) -> str:
    text = words.string()
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise CompilationFault(f"invalid value '{text}' for an IPv4 address or CIDR range") from None
    return text


def networks(words: Words) -> str:
    return json.dumps(listed(words, network))


def some_of(*values: str) -> Reader:
    """A list of these words."""

    def read(words: Words) -> str:
        found = [text.upper() for text in listed(words, Words.string)]
        for each in found:
            if each not in values:
                raise CompilationFault(f"invalid value '{each}': expected some of {', '.join(values)}")
        return json.dumps(found)

    return read


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


WAREHOUSE_SIZES = {
    "XSMALL": "X-Small", "SMALL": "Small", "MEDIUM": "Medium", "LARGE": "Large", "XLARGE": "X-Large",
    "XXLARGE": "2X-Large", "XXXLARGE": "3X-Large", "X4LARGE": "4X-Large", "X5LARGE": "5X-Large", "X6LARGE": "6X-Large",
}  # fmt: skip # a paragraph, not a column
"""As it is kept, and as SHOW WAREHOUSES shows it."""
SPELLINGS = {
    "X2LARGE": "XXLARGE",
    "X3LARGE": "XXXLARGE",
    **{shown.upper(): kept for kept, shown in WAREHOUSE_SIZES.items()},
}


def warehouse_size(words: Words) -> str:
    given = word(words)
    size = SPELLINGS.get(given, given)
    if size not in WAREHOUSE_SIZES:
        raise CompilationFault(
            f"invalid value '{given}' for WAREHOUSE_SIZE: expected one of {', '.join(WAREHOUSE_SIZES)}"
        )
    return size


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
        "ENABLE_SCHEMA_EVOLUTION": boolean,
        "ERROR_LOGGING": boolean,
        "ROW_TIMESTAMP": boolean,
        "CHANGE_TRACKING": boolean,
        "ICEBERG_VERSION": integer,
        "BASE_LOCATION": text,
    },
    kinds.PIPE: {"PIPE_EXECUTION_PAUSED": boolean},
}
