"""The tags in AWS and comments in Snowflake by which an environment's objects can be told from others."""

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names


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
