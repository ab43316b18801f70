"""How the engine reaches a stream that is not where it is: a region, a role, and what it is called there."""

from typing import Any

from firnline_infra.specification.elsewhere import place_of
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.pipeline import Pipeline

SHORTEST_SESSION = 2  # of a role's session, which CloudTrail shows; the longest is an application's longest name


def access_of(spec: EnvironmentSpec, pipeline: Pipeline) -> dict[str, Any] | None:
    """The engine's `pipelines[].access`; None where the stream is here, and opened by the engine's own rights."""
    stream = next(each for each in spec.streams if each.name == pipeline.stream)
    region = place_of(spec, stream).region
    found: dict[str, Any] = stream.access.changed() | ({} if region == spec.aws.region else {"region": region})
    if stream.role_arn is not None:
        application = Names.of(spec).application
        session = {} if len(application) < SHORTEST_SESSION else {"session_name": application}
        external = {} if stream.external_id is None else {"external_id": stream.external_id}
        found["roles"] = [{"arn": stream.role_arn, **session, **external}]
    return found or None
