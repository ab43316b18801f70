"""Parameters of Systems Manager, where others read what was made. Nothing secret is in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firnline_infra.blueprint.value import Value


@dataclass(frozen=True, kw_only=True)
class Parameter:
    name: str
    value: Value
    description: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PublishedOutputs:
    parameters: tuple[Parameter, ...]
