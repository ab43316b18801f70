"""The base of errors: what went wrong, and what to do about it.

    FirnlineError
    ├── ConfigError          the user's document: printed without a traceback, all problems at once
    ├── UsageError           the user's command
    ├── CredentialsError     who the engine is to AWS
    ├── KinesisError         the source
    ├── LedgerError          the checkpoint table
    ├── SnowflakeError       the target
    ├── DeadLetterError      the place for what can't be ingested
    ├── SchemaRegistryError  where the schemas are that records were written with
    └── EnvironmentalError   the machine: Java, ports, disk, network

A second axis, `Retryable` and `Fatal`, is what the retry policy asks. An error declares its stable id, how it comes about and
what helps: docs/runbook.md and `firnline explain` are made from that. Its message says what failed, on which object, and what
to do next, as templates of its fields (`declared`); a few write it in a constructor of their own. Errors cross executors, so they
pickle.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from inspect import get_annotations, getattr_static
from string import Formatter
from typing import ClassVar, TypeVar, dataclass_transform

DOCUMENTATION = "https://firnline.github.io/firnline/"
"""The site that a release publishes, with a page for each error."""


def url_of(id_: str) -> str:
    """The page of an error."""
    return f"{DOCUMENTATION}errors/{id_}/"


class Retryable:
    """Trying again later can help; nothing has to be changed by a person."""


class Fatal:
    """Trying again does the same; a person has to decide or to repair."""


class FirnlineError(Exception):
    """Carries a sentence about what happened and one about what to do next."""

    id: ClassVar[str] = "FL-1000"
    causes: ClassVar[str] = "A defect of ours, if it is logged with `shard.defect`"
    """How it comes about, for the runbook and `firnline explain`; empty for a root that others derive from."""
    remedy: ClassVar[str] = "report it, with the trace"
    """What helps: the next step of a message that names none of its own."""
    message: ClassVar[str] = ""
    """The template of its message; empty if a constructor writes it."""
    next_step: str
    """The advice on what to do next; the class of a declared error may have a template of it."""
    _defaults: ClassVar[Mapping[str, object]] = {}
    """The fields of a declared error in their order, with their defaults."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.causes, cls.remedy = vars(cls).get("causes", ""), vars(cls).get("remedy", "")
        if "__init__" in vars(cls):
            cls.message = ""

    def __init__(self, what: str, *, next_step: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = self.remedy if next_step is None else next_step

    def __str__(self) -> str:
        return f"[{self.id}] {self.what}\n  Next: {self.next_step}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.what, self.next_step, self.__dict__))

    @property
    def is_retryable(self) -> bool:
        return isinstance(self, Retryable)

    @classmethod
    def kind(cls) -> str:
        """`transient`: the engine waits and goes on. `fatal`: a person has to decide or to repair. Empty for a root."""
        return "transient" if issubclass(cls, Retryable) else "fatal" if issubclass(cls, Fatal) else ""


def _rebuild(kind: type[FirnlineError], what: str, next_step: str, state: dict[str, object]) -> FirnlineError:
    error = kind.__new__(kind)
    FirnlineError.__init__(error, what, next_step=next_step)
    error.__dict__.update(state)
    return error


Error = TypeVar("Error", bound=type[FirnlineError])
REQUIRED = object()


@dataclass_transform()
def declared(error: Error) -> Error:
    """Derives the constructor of an error from its fields, as a dataclass's, and its words from two templates.

    `message` says what happened, `next_step` what to do (the class's `remedy` if there is none). Each names in braces, as
    `str.format` takes them, fields and properties of the class: words that are computed are a property. `_Template` says in
    which form a value is shown. Where `next_step` is a field, the code that raises the error says what to do; a template is then
    its default. Raises TypeError for a template that names anything else, and for a field that every error has.
    """
    own = {name: vars(error).get(name, REQUIRED) for name in get_annotations(error)}
    fields = {**error._defaults, **own}
    if taken := fields.keys() & {*dir(FirnlineError), "what"}:
        raise TypeError(f"{error.__name__} can't have the fields {', '.join(sorted(taken))}: every error has them")
    for template in (error.message, getattr(error, "next_step", "")):
        if unknown := {name for name in _names_in(template) - fields.keys() if not _is_computed(error, name)}:
            raise TypeError(f"{error.__name__} has no field {', '.join(sorted(unknown))} for: {template}")
    error._defaults = fields
    error.__init__ = _constructed  # type: ignore[method-assign] # which mypy takes from the fields, by dataclass_transform
    return error


def _names_in(template: str) -> set[str]:
    return {re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(template) if name is not None}


def _is_computed(error: type[FirnlineError], name: str) -> bool:
    return isinstance(getattr_static(error, name, None), property)


def _constructed(self: FirnlineError, *args: object, **named: object) -> None:
    defaults = type(self)._defaults
    in_order = dict(zip(defaults, args, strict=False))
    given = {**in_order, **named}
    values = {**defaults, **given}
    is_odd = values.keys() != defaults.keys() or in_order.keys() & named.keys() or len(args) > len(defaults)
    if is_odd or any(value is REQUIRED for value in values.values()):
        raise TypeError(f"{type(self).__name__} takes {', '.join(defaults)}; it was given {args} and {named}")
    vars(self).update(values)
    template = getattr(type(self), "next_step", None)
    step = None if template is None else TEMPLATE.vformat(template, (self,), {})
    if advised := given.get("next_step"):
        step = str(advised)
    FirnlineError.__init__(self, TEMPLATE.vformat(self.message, (self,), {}), next_step=step)


class _Template(Formatter):
    """Fills in an error's own values.

    A datetime is shown in ISO 8601, the items of a mapping as `name: value`. What follows the colon of a sequence joins it, a
    comma if nothing does: `{problems:; }`. `{problems:list}` shows each as an item on a line of its own, `{lines:lines}` as an
    indented line; `{shards:few}` names three at most, and `{shards:count}` says how many there are.
    """

    def get_value(self, key: int | str, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        return getattr(args[0], str(key))

    def format_field(self, value: object, format_spec: str) -> str:
        match value:
            case datetime() if not format_spec:
                return value.isoformat()
            case Mapping():
                return _joined([f"{name}: {each}" for name, each in value.items()], format_spec)
            case list() | tuple() | Set():
                return _joined([*value], format_spec)
        return format(value, format_spec)


TEMPLATE = _Template()
MARGINS = {"list": "  - ", "lines": "  "}
FEW = 3


def few(values: Sequence[object]) -> str:
    """Returns the first of the values, with an ellipsis if there are more."""
    return ", ".join([*map(str, values[:FEW]), *(["…"] if len(values) > FEW else [])])


def _joined(values: Sequence[object], how: str) -> str:
    if how in MARGINS:
        return "\n".join(f"{MARGINS[how]}{value}" for value in values)
    if how == "count":
        return str(len(values))
    if how == "few":
        return few(values)
    return (how or ", ").join(map(str, values))


@declared
class ConfigError(FirnlineError, Fatal):
    """A document that can't be used; lists every problem."""

    source: str
    problems: list[str]

    id = "FL-1001"
    message = "{source} has {count}:\n{problems:list}"
    next_step = "correct the lines above and run the same command again."
    causes = "A document with mistakes; all are listed"
    remedy = "correct them; `firnline validate` looks again"

    @property
    def count(self) -> str:
        return counted(len(self.problems), "problem")


class DocumentMissing(ConfigError):
    """There is no document of that name."""

    id = "FL-1005"
    causes = "A document is named that is not there"
    remedy = (
        "its path from the folder that the command runs in; `firnline outputs ENV --engine-config` prints an engine's"
    )

    def __init__(self, source: str, next_step: str, *, known: str = ".") -> None:
        """`known`: the end of the sentence, which may say what there is."""
        FirnlineError.__init__(self, f"There is no {source}{known}", next_step=next_step)
        self.problems = [f"is not there{known}"]


class UsageError(FirnlineError, Fatal):
    """A command that can't be carried out as it was given."""

    id = "FL-1002"
    causes = "A command that can't be carried out as given"
    remedy = "see its `--help`"


class EnvironmentalError(FirnlineError, Fatal):
    """The machine lacks something: Java, disk space, a free port, a supported platform."""

    id = "FL-1100"
    causes = "The machine lacks something"
    remedy = "see the message"


class CredentialsError(FirnlineError):
    """There is nothing to sign a request to AWS with: a role was refused, a token or a key is missing."""

    id = "FL-1300"
    causes = "There is nothing to sign a request to AWS with"
    remedy = "see the message; [credentials.md](credentials.md) says how it can be said"


class KinesisError(FirnlineError):
    """Reading the stream failed."""

    id = "FL-2000"


class LedgerError(FirnlineError):
    """The checkpoint table could not be read, written, or believed."""

    id = "FL-2100"


class SnowflakeError(FirnlineError):
    """Writing to Snowflake, or asking it something, failed."""

    id = "FL-3000"


class DeadLetterError(FirnlineError):
    """A record that can't be ingested could not be kept either; the shard stops rather than lose it."""

    id = "FL-4000"


class SchemaRegistryError(FirnlineError):
    """A record's schema could not be asked for; its shard waits."""

    id = "FL-4100"


def counted(number: int, noun: str) -> str:
    """Returns the number with its noun, which has a plain plural: `1 row`, `2 rows`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """The end of a sentence about a name that is not among the valid ones: the nearest of them, or all."""
    names = sorted(set(valid))
    if not names:
        return "there is none."
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near else f"expected one of: {', '.join(names)}."


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name that `name` is probably a mistyped form of; None where none is near."""
    return next(iter(difflib.get_close_matches(name, sorted(valid), n=1)), None)


__all__ = [
    "ConfigError",
    "CredentialsError",
    "DeadLetterError",
    "EnvironmentalError",
    "Fatal",
    "FirnlineError",
    "KinesisError",
    "LedgerError",
    "Retryable",
    "SchemaRegistryError",
    "SnowflakeError",
    "UsageError",
    "counted",
    "declared",
    "did_you_mean",
    "few",
    "nearest",
    "url_of",
]
