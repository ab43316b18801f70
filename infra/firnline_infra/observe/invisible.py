"""Finds what exists and the role that deploys can't see at all, by the one question that tells it apart from what is gone.

Snowflake lists nothing of it, and refuses to create another one of its name. So `up` and `destroy` ask by such a statement, with
something empty that is dropped at once: for what no stack has made yet, and for what this one made and is not listed. No engine
has a right on it. Its comment says what it is for, and the next `up` drops what a killed one has left.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.lookup import forget_listings, listed
from firnline_infra.observe.sight import HiddenObject, made_objects
from firnline_infra.specification.identifier import Identifier, QualifiedName

MARK = "firnline up asks whether this name is free; it is empty, and may be dropped"
EXISTS = 2002
"""Snowflake's number of "Object … already exists."."""
ASKED_BY = {
    "DATABASE": "CREATE TRANSIENT DATABASE {name} DATA_RETENTION_TIME_IN_DAYS = 0",
    "SCHEMA": "CREATE TRANSIENT SCHEMA {name} DATA_RETENTION_TIME_IN_DAYS = 0",
    "TABLE": "CREATE TRANSIENT TABLE {name} (A INT) DATA_RETENTION_TIME_IN_DAYS = 0",
    "STAGE": "CREATE STAGE {name}",
    "NETWORK POLICY": "CREATE NETWORK POLICY {name} ALLOWED_IP_LIST = ('127.0.0.1')",
    "AUTHENTICATION POLICY": "CREATE AUTHENTICATION POLICY {name} AUTHENTICATION_METHODS = ('KEYPAIR')",
    "WAREHOUSE": "CREATE WAREHOUSE {name} WITH INITIALLY_SUSPENDED = TRUE",
}
"""Tables of all kinds share their names. A pipe or a volume can't be made of nothing: grants on them alone say that they are
there (`sight.py`)."""
UNDROPPED = ("DATABASE", "SCHEMA", "TABLE")
"""Kinds that UNDROP restores, the last one of a name first: where the stack's own may be restored, what was made to ask has
another name before it is dropped."""


def taken_out_of_sight(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[str]:
    """A description of each. Raises SnowflakeRefused where a database may not be created at all."""
    for word, name in _unlisted(blueprint, session, state):
        if _is_taken(session, word, name):
            yield f"{word.lower()} {name} in Snowflake, of which this role sees nothing"


def asked_by_statement_alone(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> list[str]:
    """Returns names that nothing is seen of, and that another role may have: `up` asks, what only looks can't."""
    return [f"{word.lower()} {name}" for word, name in _unlisted(blueprint, session, state)]


def _unlisted(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[tuple[str, QualifiedName]]:
    return ((word, name) for word, name in _unmade(blueprint, state) if listed(session, word, name) is None)


def hidden_by_statement(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[HiddenObject]:
    """Yields what the state knows, no listing has, and exists all the same: a refresh would forget it.

    What is in something that is gone can't be asked, and is gone with it. Raises SnowflakeRefused.
    """
    known = StackResources.of(state)
    for title, each in made_objects(blueprint):
        if title in ASKED_BY and known.knows(each.name):
            found = listed(session, each.word, each.name)
            if found is not None and found.get("comment") == MARK:
                _drop(session, title, each.name, was_made=True)
                forget_listings()
            elif found is None and _is_taken(session, title, each.name, was_made=True):
                yield each


def remove_left(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Drops what a killed `up` has left by asking. Raises SnowflakeRefused."""
    for word, name in _unmade(blueprint, state):
        found = listed(session, word, name)
        if found is not None and found["comment"] == MARK:
            _drop(session, word, name)
            forget_listings()


def _unmade(blueprint: Blueprint, state: Mapping[str, Any]) -> Iterator[tuple[str, QualifiedName]]:
    """In a schema that this very `up` makes is nothing yet."""
    known, landing = StackResources.of(state), blueprint.landing
    for name in (QualifiedName((each.name,)) for each in landing.databases):
        if not known.knows(name):
            yield "DATABASE", name
    unmade = {schema.name for schema in landing.schemas if not known.knows(schema.name)}
    for table in landing.tables:
        if not known.has_table(table.name) and QualifiedName(table.name.parts[:-1]) not in unmade:
            yield "TABLE", table.name


LONGEST, ASIDE = 255, "_FIRNLINE_ASKED"
"""A name's most characters ("Identifier requirements"), and the end of the name of what is about to be dropped."""


def _is_taken(session: Any, word: str, name: QualifiedName, *, was_made: bool = False) -> bool:
    try:
        rows(session, f"{ASKED_BY[word].format(name=name.sql)} COMMENT = '{MARK}'")
    except SnowflakeRefused as refused:
        if refused.number == EXISTS:
            return True
        if word == "DATABASE":
            raise
        return False  # what is lacking there is said by the grants that its owner has to give
    _drop(session, word, name, was_made=was_made)
    return False


def _drop(session: Any, word: str, name: QualifiedName, *, was_made: bool = False) -> None:
    if was_made and word in UNDROPPED:
        *container, own = name.parts
        aside = QualifiedName((*container, Identifier(own.name[: LONGEST - len(ASIDE)] + ASIDE)))
        if (left := listed(session, word, aside)) is not None and left.get("comment") == MARK:
            rows(session, f"DROP {word} {aside.sql}")
            forget_listings()
        rows(session, f"ALTER {word} {name.sql} RENAME TO {aside.sql}")
        name = aside
    rows(session, f"DROP {word} {name.sql}")
