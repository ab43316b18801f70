"""Carries out the rows of the Snowflake table: CREATE, SHOW and DESCRIBE, ALTER, DROP, as the stock provider sends them.

A setting is what SQL writes as `KEY = value`: its row says how it is spelled, where it is read, and what takes it back.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from firnline_ingest.snowflake.connection import DOES_NOT_EXIST
from firnline_local.errors import InputNotCarried
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Form, Properties, Rules
from firnline_local.providers.snowflake.sql import literal, parts, plain, quoted

SCHEMA_OBJECT = ("database", "schema", "name")
SWITCH = "true false"
"""The values of a switch that is text."""
IN_DATABASE = Form(r".+", "a name in a database, of two parts", lambda text: len(parts(text)) == 2)
IN_SCHEMA = Form(r".+", "a name in a schema, of three parts", lambda text: len(parts(text)) == 3)
"""IsValidIdentifier (pkg/internal/provider/validators/validators.go at 01abca5e), which looks at no name of one part."""
DEFAULT = "default"
"""How the provider spells that a switch which is text was not given."""


class Source(Enum):
    """The place at which a setting is read."""

    SHOW = "a column of SHOW"
    DESCRIBE = "a property of DESCRIBE"
    PARAMETER = "SHOW PARAMETERS, where it is set on this very object; what it inherits is left out"
    NOWHERE = "it can't be: it is given back as it is known"


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    """In Pulumi's words."""
    key: str = ""
    """In SQL's; its name in upper case by default."""
    spell: Callable[[Any], str] = literal
    unset: str | None = None
    """What the stock provider sends instead of UNSET, where it does not send that."""
    source: Source = Source.SHOW
    column: str = ""
    """Of SHOW; its key in lower case by default."""
    like: Callable[[Any, Any], Any] | None = None
    """Turns (what was found, what is known) into the property."""
    nothing: Any = None
    """A value that is as good as none."""

    @property
    def word(self) -> str:
        return self.key or key_of(self.name)

    def given(self, values: Properties) -> Any:
        """The value; None for one that says nothing."""
        value = values.get(self.name)
        return value if is_given(value) and value != self.nothing else None

    def sql(self, values: Properties) -> str:
        return f"{self.word} = {self.spell(values[self.name])}"


COMMENT = Setting("comment")


def key_of(name: str) -> str:
    """`dataRetentionTimeInDays` is DATA_RETENTION_TIME_IN_DAYS."""
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name)


def parameter(name: str, spell: Callable[[Any], str] = plain, like: Callable[[Any, Any], Any] | None = None) -> Setting:
    return Setting(name, spell=spell, source=Source.PARAMETER, like=like)


def described(name: str, spell: Callable[[Any], str] = literal, **more: Any) -> Setting:
    return Setting(name, spell=spell, source=Source.DESCRIBE, **more)


def is_given(value: Any) -> bool:
    """An empty text or list is as good as none, as the provider has it."""
    return value is not None and value not in ("", [], {}, DEFAULT)


def as_known(found: Any, known: Any, by: Callable[[Any], Any]) -> Any:
    """`known`, where it is only another spelling of what was found: otherwise the spelling would look like drift."""
    return known if found is not None and is_given(known) and by(known) == by(found) else found


def alike(by: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda found, known: as_known(found, known, by)


UPPER = alike(str.upper)
NAMES = alike(parts)


def number(found: Any, _: Any) -> int | None:
    return None if found is None else int(float(found))


def assignments(settings: Iterable[Setting], values: Properties) -> str:
    """` A = 1 COMMENT = 'x'`, with a space in front of each."""
    return "".join(f" {each.sql(values)}" for each in settings if each.given(values) is not None)


def alterations(
    target: str, settings: Sequence[Setting], old: Properties, new: Properties, separator: str = " "
) -> list[str]:
    """The ALTERs for what differs: one SET, one UNSET, and those that are a SET of the default."""
    changed = [each for each in settings if each.given(old) != each.given(new)]
    absent = [each for each in changed if each.given(new) is None]
    to_set = [each.sql(new) for each in changed if each not in absent]
    to_set += [f"{each.word} = {each.unset}" for each in absent if each.unset is not None]
    to_unset = [each.word for each in absent if each.unset is None]
    statements = [f"ALTER {target} SET {separator.join(to_set)}"] if to_set else []
    return statements + ([f"ALTER {target} UNSET {', '.join(to_unset)}"] if to_unset else [])


@dataclass(frozen=True)
class ShownObject:
    """An object that SHOW has found."""

    kind: "SnowflakeKind"
    clients: Clients
    place: Mapping[str, str]
    """What its full name consists of, by property."""
    known: Properties
    row: Mapping[str, Any]

    @property
    def path(self) -> str:
        return quoted(*self.place.values())

    @cached_property
    def described(self) -> dict[str, Any]:
        """The values of DESCRIBE by property; `null` is how a user's say that there is none."""
        rows = self.clients.rows(f"DESCRIBE {self.kind.word} {self.path}")
        found = {str(row.get("property") or row.get("name")): row["value"] for row in rows}
        return {name: None if value in (None, "null", "") else value for name, value in found.items()}

    @cached_property
    def parameters(self) -> dict[str, Any]:
        kind = self.kind.word.rpartition(" ")[2]
        rows = self.clients.rows(f"SHOW PARAMETERS IN {kind} {self.path}")
        return {row["key"]: _value(row) for row in rows if row["level"] == kind}

    def value(self, setting: Setting) -> Any:
        known = self.known.get(setting.name)
        match setting.source:
            case Source.SHOW:
                found = self.row[setting.column or setting.word.lower()]
            case Source.DESCRIBE:
                found = self.described.get(setting.word)
            case Source.PARAMETER:
                found = self.parameters.get(setting.word)
            case Source.NOWHERE:
                return known
        return setting.like(found, known) if setting.like else found


def _value(row: Mapping[str, Any]) -> Any:
    match row["type"]:
        case "NUMBER":
            return int(row["value"])
        case "BOOLEAN":
            return row["value"] == "true"
        case _:
            return row["value"]


@dataclass(frozen=True, kw_only=True)
class SnowflakeKind:
    """A row: one type of pulumi-snowflake whose objects have a name, a SHOW and settings."""

    type: str
    rules: Rules
    word: str
    """As CREATE, ALTER and DROP call it."""
    listing: str
    """As SHOW calls them."""
    names: tuple[str, ...] = ("name",)
    """The properties that its full name consists of."""
    settings: tuple[Setting, ...]
    """In the order of CREATE."""
    altered: tuple[tuple[Setting, ...], ...] = ()
    """Those that ALTER changes, by statement; all of them in one by default."""
    separator: str = " "
    """Between the settings of an ALTER."""
    carried: str = ""
    """Inputs that functions of the row say."""
    head: Callable[[Properties, str], str] | None = None
    """The statement up to the settings, of (the inputs, the full name)."""
    whole: Callable[[Properties, str], list[str]] | None = None
    """The statements that make it, for what a head does not say."""
    more: Callable[[ShownObject], Mapping[str, Any]] = lambda _: {}
    """Properties that are no settings."""
    is_of_type: Callable[[Mapping[str, Any]], bool] = lambda _: True
    """Whether a row of SHOW is of this type; one of another type reads as gone."""
    changes: Callable[[Properties, Properties, str, list[str]], list[str]] = lambda _old, _new, _name, altered: altered
    """The statements of an update, of (old, new, the full name, those that alter settings)."""
    takes_over: Callable[[Properties], bool] = lambda _: False
    """Whether one that is there is altered into what is wanted."""
    check: Callable[[Properties], None] = lambda _: None
    """Raises InputNotCarried for what is nested in an input."""
    id_sign: str = ""
    """What the parts of the id stand between; the id is the full name by default."""

    @cached_property
    def inputs(self) -> frozenset[str]:
        return frozenset({*self.names, *self.carried.split(), *(each.name for each in self.settings)})

    def path(self, properties: Properties) -> str:
        return quoted(*(properties[name] for name in self.names))

    def create(self, inputs: Properties, clients: Clients, /) -> CreatedResource:
        self._require_carried(inputs)
        path = self.path(inputs)
        id_ = self.id_sign.join(inputs[name] for name in self.names) if self.id_sign or len(self.names) == 1 else path
        there = self.read(id_, inputs, clients) if self.takes_over(inputs) else None
        if there is not None:
            return CreatedResource(id_, self.update(id_, there, inputs, clients))
        if self.whole:
            clients.execute(*self.whole(inputs, path))
        else:
            head = self.head(inputs, path) if self.head else f"CREATE {self.word} {path}"
            clients.execute(head + assignments(self.settings, inputs))
        return CreatedResource(id_, self.read(id_, inputs, clients) or {})

    def read(self, id_: str, properties: Properties, clients: Clients, /) -> dict[str, Any] | None:
        place = self._located(id_, properties)
        row = row_of(clients, self.listing, place["name"], self._inside(place))
        if row is None or not self.is_of_type(row):
            return None
        it = ShownObject(self, clients, place, properties, row)
        settings = {each.name: it.value(each) for each in self.settings}
        found = {**place, **settings, **self.more(it), "fullyQualifiedName": it.path}
        return {name: value for name, value in found.items() if value is not None}

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> dict[str, Any]:
        self._require_carried(new)
        before, path = self.path({**new, **old}), self.path(new)
        altered: list[str] = []
        for group in self.altered or (self.settings,):
            altered += alterations(f"{self.word} {path}", group, old, new, self.separator)
        renamed = None if before == path else f"ALTER {self.word} {before} RENAME TO {path}"
        clients.execute(renamed, *self.changes(old, new, path, altered))
        return self.read(id_, new, clients) or {}

    def delete(self, id_: str, properties: Properties, clients: Clients, /) -> None:
        path = quoted(*self._located(id_, properties).values())
        run_unless_gone(clients, f"DROP {self.word} IF EXISTS {path}")

    def _located(self, id_: str, properties: Properties) -> dict[str, str]:
        """The parts of the name by property: as last known, or while it is imported as its id says."""
        found = id_.split("|") if "|" in id_ else parts(id_)
        return {name: properties.get(name) or part for name, part in zip(self.names, found, strict=True)}

    def _inside(self, place: Mapping[str, str]) -> str:
        container = [place[name] for name in self.names[:-1]]
        return f" IN {('DATABASE', 'SCHEMA')[len(container) - 1]} {quoted(*container)}" if container else ""

    def _require_carried(self, inputs: Properties) -> None:
        refuse_others(self.type, inputs, self.inputs)
        self.check(inputs)


@dataclass(frozen=True, kw_only=True)
class StatementKind:
    """A row whose type is not an object of its own: a grant, an attachment, a statement of the user's."""

    type: str
    rules: Rules
    inputs: frozenset[str]
    make: Callable[[Properties, Clients], str]
    """Returns the id."""
    look: Callable[[str, Properties, Clients], Properties | None]
    change: Callable[[Properties, Properties, Clients], object] | None = None
    """None if every input replaces it."""
    remove: Callable[[str, Properties, Clients], object]
    known: Callable[[str], Properties] = field(default=lambda _: {})
    """What an id alone says."""

    def create(self, inputs: Properties, clients: Clients, /) -> CreatedResource:
        refuse_others(self.type, inputs, self.inputs)
        id_ = self.make(inputs, clients)
        return CreatedResource(id_, self.read(id_, inputs, clients) or {})

    def read(self, id_: str, properties: Properties, clients: Clients, /) -> Properties | None:
        return self.look(id_, properties, clients)

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> Properties:
        assert self.change is not None, f"every input of {self.type} replaces it"
        refuse_others(self.type, new, self.inputs)
        self.change(old, new, clients)
        return self.read(id_, new, clients) or {}

    def delete(self, id_: str, properties: Properties, clients: Clients, /) -> None:
        self.remove(id_, {**self.known(id_), **properties}, clients)


def row_of(clients: Clients, listing: str, name: str, inside: str = "") -> dict[str, Any] | None:
    """The row of SHOW with exactly this name. LIKE knows wildcards and ignores case, so it may find more."""
    rows = clients.rows(f"SHOW {listing} LIKE {literal(name)}{inside}")
    return next((row for row in rows if row["name"] == name), None)


def refuse_others(type_: str, inputs: Properties, known: Collection[str]) -> None:
    """Raises InputNotCarried: nothing that was asked for is forgotten in silence."""
    others = sorted(name for name, value in inputs.items() if is_given(value) and name not in known)
    if others:
        raise InputNotCarried(type_, others, carried=sorted(known))


def run_unless_gone(clients: Clients, statement: str) -> None:
    """No error where what it is about, or what contained that, does not exist any more."""
    from snowflake.connector.errors import ProgrammingError

    with closing(clients.snowflake.cursor()) as cursor:
        try:
            cursor.execute(statement)
        except ProgrammingError as error:
            if error.errno not in DOES_NOT_EXIST:
                raise
