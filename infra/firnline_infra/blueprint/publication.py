"""What an environment publishes: where others find the engine's configuration, and what they may need beside it."""

from collections.abc import Iterator

from firnline_infra.blueprint.aws import Parameter
from firnline_infra.blueprint.tags import tags
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.specification.aws import Origin, Trust
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

WITHOUT_A_ROLE = (Trust.NOBODY, Trust.STATIC_KEYS)


def publication(spec: EnvironmentSpec, names: Names) -> tuple[Parameter, ...]:
    """None where nobody asked. The configuration itself can be too long for a parameter: its place is published."""
    prefix = spec.publication.ssm_prefix
    if prefix is None:
        return ()
    marks = tags(spec, component="publication")
    return tuple(
        Parameter(name=f"{prefix}/{name}", value=value, description=description, tags=marks)
        for name, value, description in _published(spec, names)
    )


def _published(spec: EnvironmentSpec, names: Names) -> Iterator[tuple[str, Value, str]]:
    if spec.aws.bucket.origin is not Origin.SKIP:
        yield "engine-config", Reference("engine", "url"), "Where the engine's configuration lies."
    yield (
        "engine-config-hash",
        Reference("engine", "hash"),
        "Changes with the engine's configuration, and only with it.",
    )
    yield "ledger-table", names.ledger_table, "Fences shards and remembers where they are."
    if spec.aws.runtime.trust not in WITHOUT_A_ROLE:
        yield "engine-role", Reference("role"), "What the engine's job runs as."
