"""Declarations of a stack, in the words of Terraform's providers: the one form in which rules look at resources.

A value that is known only once something is made is a text with `${` in it, as Terraform writes it; rules don't judge it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

UNKNOWN = "${known once it is made}"
REFERENCE = re.compile(r"(?<!\$)\$\{(\w+\.[\w-]+)\.(\w+)\}")
TEMPLATE = re.compile(r"(?<!\$)\$\{")


@dataclass(frozen=True)
class DeclaredResource:
    type: str
    """Terraform's: aws_kinesis_stream."""
    name: str
    """The logical name within the stack."""
    arguments: Mapping[str, Any]
    is_protected: bool = False
    """True if the tool refuses to delete or replace it."""

    def at(self, path: str) -> Any:
        """Returns what is at a path such as `rule.filter.prefix`; None if nothing is. Of a list, what is at its only element."""
        found: Any = self.arguments
        for step in path.split("."):
            found = _only(found).get(step) if isinstance(_only(found), Mapping) else None
        return found

    def blocks(self, name: str) -> Iterator[Mapping[str, Any]]:
        """The blocks of a name, whether it may be repeated or not."""
        return (each for each in listed(self.arguments.get(name)) if isinstance(each, Mapping))


@dataclass(frozen=True)
class DeclaredStack:
    resources: tuple[DeclaredResource, ...]
    must_protect: bool = False
    """True if its data has to be protected, and encrypted with a key of the account's, whatever it says of itself."""

    def of(self, *types: str) -> Iterator[DeclaredResource]:
        return (each for each in self.resources if each.type in types)

    @cached_property
    def is_protected(self) -> bool:
        """True if anything is: an EPHEMERAL environment protects nothing."""
        return self.must_protect or any(each.is_protected for each in self.resources)

    def settings_of(self, bucket: DeclaredResource, type_: str) -> Iterator[DeclaredResource]:
        """Resources of a type that name the bucket."""
        name = bucket.at("bucket")
        return (each for each in self.of(type_) if each.at("bucket") == name)


def listed(value: Any) -> list[Any]:
    """IAM, and Terraform, take one of something where a list of it may stand."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def is_known(value: Any) -> bool:
    return not (isinstance(value, str) and "${" in value)


def declared_by_module(main: Mapping[str, Any], *, must_protect: bool = False) -> DeclaredStack:
    """`main` is a module's main.tf.json. A reference to an argument of another resource is that argument."""
    blocks = {
        f"{type_}.{label}": block for type_, labels in main["resource"].items() for label, block in labels.items()
    }
    return DeclaredStack(tuple(_declared(address, block, blocks) for address, block in blocks.items()), must_protect)


def _only(value: Any) -> Any:
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _declared(address: str, block: Mapping[str, Any], blocks: Mapping[str, Any]) -> DeclaredResource:
    type_, _, label = address.partition(".")
    said = {name: _resolved(each, blocks) for name, each in block.items() if name not in ("depends_on", "lifecycle")}
    return DeclaredResource(type_, label, said, bool(block.get("lifecycle", {}).get("prevent_destroy")))


def _resolved(value: Any, blocks: Mapping[str, Any]) -> Any:
    match value:
        case Mapping():
            return {name: _resolved(each, blocks) for name, each in value.items()}
        case list():
            return [_resolved(each, blocks) for each in value]
        case str():
            text = REFERENCE.sub(lambda found: _argument(found, blocks), value)
            return text if TEMPLATE.search(text) else text.replace("$${", "${").replace("%%{", "%{")
        case _:
            return value


def _argument(reference: re.Match[str], blocks: Mapping[str, Any]) -> str:
    said = blocks.get(reference[1], {}).get(reference[2])
    return said if isinstance(said, str) else reference[0]
