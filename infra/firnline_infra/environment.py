"""An environment, resolved once from its specification: the names of what it has, and the marks by which an account knows it.

Rows of cloud objects (`kinds/`) are functions of it.
"""

from dataclasses import dataclass
from typing import Self

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names


@dataclass(frozen=True)
class Environment:
    spec: EnvironmentSpec
    names: Names

    @classmethod
    def of(cls, spec: EnvironmentSpec) -> Self:
        return cls(spec, Names.of(spec))

    def __repr__(self) -> str:
        return f"Environment({self.spec.name})"

    def tags(self, component: str) -> dict[str, str]:
        """The tags of its objects in AWS."""
        return tags(self.spec, component=component)


def tags(spec: EnvironmentSpec, *, component: str) -> dict[str, str]:
    """Firnline's own tags win over the specification's: drift and the destroy guard rely on them."""
    return dict(spec.tags) | {
        "firnline:environment": spec.name,
        "firnline:application": Names.of(spec).application,
        "firnline:component": component,
    }


def comment_of(spec: EnvironmentSpec) -> str:
    """The comment on every Snowflake object, by which a person, and a repair after a killed `up`, recognises it."""
    return f"Firnline {spec.name} {Names.of(spec).application}"
