"""The tags on every AWS object: whose it is, and what made it."""

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names


def tags(spec: EnvironmentSpec, *, component: str) -> dict[str, str]:
    """Firnline's own tags win over the specification's: drift and the destroy guard rely on them."""
    return dict(spec.tags) | {
        "firnline:environment": spec.name,
        "firnline:application": Names.of(spec).application,
        "firnline:component": component,
    }
