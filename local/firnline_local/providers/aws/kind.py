"""Carries out the rows of the AWS table: makes, reads, changes and removes a resource as its row says.

A read says what the service says, but where that means the same as what is known already, in the known words (values.py): so
only what really differs is drift. An input that a row does not carry is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from firnline_local.providers.aws.values import (
    as_document,
    as_list,
    as_outputs,
    changed,
    document_like,
    none_if,
    present,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules


@dataclass(frozen=True, slots=True)
class WireField:
    """One input, and where the service has it."""

    wire: str = ""
    """The argument of the calls that make and change it; empty if a function of the row sends it."""
    found: str = ""
    """The path in the answer, with dots; as `wire` by default."""
    sent: Callable[[Any], Any] | None = None
    """Turns the input into the argument."""
    like: Callable[[Any, Any], Any] | None = None
    """Turns (what the answer has, what is known) into the property."""
    absent: Any = None
    """What an answer means that has nothing, or an empty text."""


def document(wire: str, found: str = "") -> WireField:
    return WireField(wire, found, sent=as_document, like=lambda there, known: document_like(as_document(there), known))


@dataclass(frozen=True)
class Subject:
    """The resource that a function of a row is about."""

    kind: "AwsKind"
    clients: Clients
    id: str
    inputs: Properties
    """Those of today; while it is read or removed, the last known properties."""
    before: Properties = field(default_factory=dict)
    """Those of yesterday, in an update."""

    @property
    def client(self) -> Any:
        return self.clients.aws(self.kind.service)

    @cached_property
    def where(self) -> dict[str, Any]:
        """The arguments that tell the service which one is meant."""
        by = self.kind.by
        return {by: self.id} if isinstance(by, str) else by(self)

    def ask(self, operation: str, **more: Any) -> Any:
        """Calls an operation about this one."""
        return getattr(self.client, operation)(**self.where, **more)

    def value(self, name: str) -> Any:
        return value_of(name, self.inputs, self.kind.rules)

    def request(self, *names: str) -> dict[str, Any]:
        """The arguments that say these inputs; all of them if none is named."""
        asked = {}
        for name, each in self.kind.known.items():
            value = self.value(name)
            if each.wire and value is not None and (not names or name in names):
                asked[each.wire] = each.sent(value) if each.sent else value
        return present(asked)

    def output(self, name: str) -> str:
        """The output that the service tells now."""
        return str((self.kind.read(self.id, self.inputs, self.clients) or {})[name])


Act = Callable[[Subject], Any]
SettleTags = Callable[[Subject, dict[str, str], list[str]], None]
"""Sets the first, and removes those with the keys that follow."""


@dataclass(frozen=True, slots=True)
class UpdateStep:
    """A step of an update if one of these inputs differs."""

    names: frozenset[str]
    act: Act


def on(names: str, act: Act) -> UpdateStep:
    return UpdateStep(frozenset(names.split()), act)


def sends(operation: str, names: str) -> UpdateStep:
    """All of these inputs in one call, where one of them differs."""
    return on(names, lambda it: it.ask(operation, **it.request(*names.split())))


def made_by(
    operation: str, id_: str, *, tags: Callable[[dict[str, str]], Any] | None = None, under: str = "Tags"
) -> Act:
    """Sends all inputs, and the tags as this writes them. The id is a path in the answer, or a {template} of inputs."""

    def make(it: Subject) -> str:
        said = present({under: tags(tags_of(it.inputs)) or None}) if tags else {}
        answer = getattr(it.client, operation)(**it.request(), **said)
        if "{" in id_:
            return id_.format(**it.inputs)
        return str(dig(answer, id_))

    return make


def arn_as(word: str) -> Callable[[Subject], dict[str, Any]]:
    return lambda it: {word: it.output("arn")}


def tags_by(
    put: str,
    take: str,
    *,
    written: Callable[[dict[str, str]], Any] = as_list,
    words: tuple[str, str] = ("Tags", "TagKeys"),
    where: Callable[[Subject], dict[str, Any]] = lambda it: it.where,
) -> SettleTags:
    """`where` gives the arguments that tell which one is meant."""

    def settle(it: Subject, to_set: dict[str, str], to_remove: list[str]) -> None:
        whose = where(it)
        if to_remove:
            getattr(it.client, take)(**whose, **{words[1]: to_remove})
        if to_set:
            getattr(it.client, put)(**whose, **{words[0]: written(to_set)})

    return settle


def tags_by_arn(arn: Callable[[Subject], str] = lambda it: it.output("arn")) -> SettleTags:
    """Settles tags in the form of newer services."""
    words, where = ("tags", "tagKeys"), lambda it: {"resourceArn": arn(it)}
    return tags_by("tag_resource", "untag_resource", written=dict, words=words, where=where)


@dataclass(frozen=True, kw_only=True)
class AwsKind:
    """A row: one type of pulumi-aws."""

    type: str
    service: str
    """As boto3 calls it."""
    rules: Rules
    fields: Mapping[str, str | WireField] = field(default_factory=dict)
    """The inputs that are carried; a text is the word of the service in calls and answers."""
    outputs: Mapping[str, str | Callable[[Subject, Properties], Any]] = field(default_factory=dict)
    """Properties that are not inputs: a path in the answer, or a function of it."""
    kept: str = ""
    """Inputs that the provider alone knows: a read gives them back as they were."""
    carried: str = ""
    """Inputs that are outputs too."""
    by: str | Callable[[Subject], dict[str, Any]]
    """The argument that takes the id."""
    make: Act
    """Returns the id."""
    later: str = ""
    """Inputs that an update sets when it is made."""
    look: Act
    """Returns what `found` and `outputs` are paths in, with the tags as Tags or tags; None if there is no such thing."""
    updates: tuple[UpdateStep, ...] = ()
    """In the order in which they are made."""
    tags: SettleTags | None = None
    remove: Act
    looks_before: bool = False
    """True if only what is read as there is removed: the service takes a second request for the first one."""
    gone: str = ""
    """The service's codes for one that does not exist."""
    nested: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What is carried of an input that is an object, or a list of them."""

    @cached_property
    def known(self) -> dict[str, WireField]:
        return {name: WireField(each) if isinstance(each, str) else each for name, each in self.fields.items()}

    @cached_property
    def inputs(self) -> frozenset[str]:
        return frozenset({*self.fields, *self.kept.split(), *self.carried.split(), *self._tags("tags", "tagsAll")})

    def create(self, inputs: Properties, clients: Clients, /) -> CreatedResource:
        self._require_carried(inputs, clients)
        later = self.later.split()
        first = {name: value for name, value in inputs.items() if name not in later}
        id_: str = self.make(Subject(self, clients, "", first))
        made = self.update(id_, first, inputs, clients) if later else self.read(id_, inputs, clients) or {}
        return CreatedResource(made.get("id", id_), made)

    def read(self, id_: str, properties: Properties, clients: Clients, /) -> dict[str, Any] | None:
        it = Subject(self, clients, id_, properties)
        try:
            found = self.look(it)
        except it.client.exceptions.ClientError as error:
            none_if(error, *self.gone.split())
            return None
        return None if found is None else self._properties(it, found)

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> dict[str, Any]:
        self._require_carried(new, clients)
        it, differs = Subject(self, clients, id_, new, old), changed(old, new, self.rules)
        for each in self.updates:
            if differs & each.names:
                each.act(it)
        to_set, to_remove = tag_difference(old, new)
        if self.tags and (to_set or to_remove):
            self.tags(it, to_set, to_remove)
        return self.read(id_, new, clients) or {}

    def delete(self, id_: str, properties: Properties, clients: Clients, /) -> None:
        if self.looks_before and self.read(id_, properties, clients) is None:
            return
        it = Subject(self, clients, id_, properties)
        try:
            self.remove(it)
        except it.client.exceptions.ClientError as error:
            none_if(error, *self.gone.split())

    def _require_carried(self, inputs: Properties, clients: Clients) -> None:
        require_carried(self.type, inputs, self.inputs, region=clients.region)
        for name, carried in self.nested.items():
            given = inputs.get(name) or ()
            for each in [given] if isinstance(given, Mapping) else given:
                require_carried(f"{self.type} {name}", each, carried, region=clients.region)

    def _properties(self, it: Subject, found: Properties) -> dict[str, Any]:
        of_provider = {name: it.value(name) for name in self.kept.split()}
        outputs = {
            name: dig(found, each) if isinstance(each, str) else each(it, found) for name, each in self.outputs.items()
        }
        fields = {name: self._value(each, found, it.inputs.get(name)) for name, each in self.known.items()}
        region = {} if self.service == "iam" else {"region": it.clients.region}
        tags = as_outputs(found.get("Tags") or found.get("tags") or {}, it.inputs) if self.tags else {}
        return present({"id": it.id, **region, **of_provider, **fields, **outputs, **tags})

    @staticmethod
    def _value(asked: WireField, found: Properties, known: Any) -> Any:
        there = dig(found, asked.found or asked.wire)
        if there is None or there == "":
            return asked.absent
        return asked.like(there, known) if asked.like else there

    def _tags(self, *names: str) -> tuple[str, ...]:
        return names if self.tags else ()


def dig(answer: Any, path: str) -> Any:
    """Returns what is at a path with dots; None if a step is missing."""
    for step in path.split("."):
        answer = answer.get(step) if isinstance(answer, Mapping) else None
    return answer
