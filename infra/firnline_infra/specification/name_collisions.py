"""Names that two specifications in one folder both make: found before either environment meets the other's things.

A name ends with what it is of, and the parts are not marked: a volume EU of prod and an environment prod-eu both lead to a
bucket firnline-prod-eu-….
"""

from collections.abc import Iterator, Mapping

from firnline_infra.specification.adopted import made_volumes
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, application_of, bootstrap_names, volume_names
from firnline_infra.specification.origin import Origin

Made = Mapping[tuple[str, ...], str]
"""Where and what it is, and its name; to the field of the specification that says it."""


def collisions(spec: EnvironmentSpec, others: Mapping[str, EnvironmentSpec]) -> Iterator[str]:
    """A problem for each name. `others` are by their files; the same environment, as in a copy, is none. One of the same name in
    another region or account is another one.
    """
    own = _made(spec)
    for file, other in others.items():
        if is_same_environment(spec, other) and _place(spec) == _place(other):
            continue
        theirs = _made(other)
        for what in own.keys() & theirs.keys():
            kind, name = what[0], what[-1]
            yield f"{own[what]}: {kind} {name} is made by {file} too ({theirs[what]}); give one of them another name."


def is_same_environment(one: EnvironmentSpec, other: EnvironmentSpec) -> bool:
    """True if the two have one name and application: what they say of it may differ."""
    return other.name == one.name and application_of(other) == application_of(one)


def _place(spec: EnvironmentSpec) -> tuple[str, ...]:
    return spec.aws.partition, spec.aws.account, spec.aws.region, spec.snowflake.account.upper()


def _made(spec: EnvironmentSpec) -> Made:
    aws, root = spec.aws, "application" if spec.application else "name"
    here = (aws.partition, aws.account)
    found: dict[tuple[str, ...], str] = {("bucket", bootstrap_names(spec).state_bucket): root}
    if aws.bucket.origin is Origin.CREATE:
        found["bucket", Names.of(spec).bucket] = "aws.bucket.name" if aws.bucket.name else root
    for index, volume in enumerate(spec.snowflake.external_volumes):
        if volume in made_volumes(spec):
            names, path = volume_names(spec, volume), f"snowflake.external_volumes[{index}]"
            found["bucket", names.bucket] = f"{path}.bucket"
            found["role", *here, names.role] = f"{path}.name"
    for index, stream in enumerate(spec.streams if spec.alarms.are_made else ()):
        # CloudWatch writes over an alarm that is there.
        alarms = f"{application_of(spec)}-{stream.name}-…"
        found["alarms", *here, aws.region, alarms] = f"streams[{index}].name"
    found["application", *here, aws.region, application_of(spec)] = root
    found["role", *here, bootstrap_names(spec).deployer_role] = root
    if aws.runtime.role_arn is None:
        found["role", *here, Names.of(spec).engine_role] = "aws.runtime.role" if aws.runtime.role else root
    if spec.snowflake.deploy_role is None:
        found["role of Snowflake", spec.snowflake.account.upper(), Names.of(spec).deploy_role.name] = root
    return found
