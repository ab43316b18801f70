"""Things that two specifications in one folder both make, or both fill: found before either environment meets the other's things.

A name ends with what it is of, and the parts are not marked: a volume EU of prod and an environment prod-eu both lead to a
bucket firnline-prod-eu-….
"""

from collections.abc import Callable, Iterator, Mapping

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, application_of, bootstrap_names, table_of, view_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.source_streams import source_streams
from firnline_ingest.config.rows import PipeRows

Made = Mapping[tuple[str, ...], str]
"""What and where it is, and its name; to the field of the specification that says it."""
ROOTS = ("application", "name")


def collisions(
    spec: EnvironmentSpec, others: Mapping[str, EnvironmentSpec], also_made: Callable[[EnvironmentSpec], Made]
) -> Iterator[str]:
    """A problem for each field that says such a name. `others` are by their files; the same environment, as in a copy, is none.
    One of the same name in another region or account is another one. `also_made`: what a stack makes of a specification.
    """
    own = {**_made(spec), **also_made(spec)}
    for file, other in others.items():
        if is_same_environment(spec, other) and _place(spec) == _place(other):
            continue
        theirs = {**_made(other), **also_made(other)}
        told = set[str]()
        for what, field in own.items():
            if what not in theirs or field in told:
                continue
            told.add(field)
            yield f"{field}: {what[0]} {what[-1]} is made by {file} too ({theirs[what]}); {_instead(field)}."
        filled = _filled(other)
        for records, field in _filled(spec).items():
            if records in filled:
                yield (
                    f"{field}: {file} reads {records[0]} into {records[2]} too ({filled[records]}), and each record would "
                    "be there twice; name another table in one of them, or remove the pipeline."
                )


def _instead(field: str) -> str:
    if field.endswith(".file_replay"):
        return "remove file_replay from one of them"
    other_name = "give one of them another name"
    return (
        other_name if field in ROOTS else f"{other_name}, or say in one that it is there (origin: adopt, docs/adopt.md)"
    )


def is_same_environment(one: EnvironmentSpec, other: EnvironmentSpec) -> bool:
    """True if the two have one name and application: what they say of it may differ."""
    return other.name == one.name and application_of(other) == application_of(one)


def _place(spec: EnvironmentSpec) -> tuple[str, ...]:
    return spec.aws.partition, spec.aws.account, spec.aws.region, spec.snowflake.account.upper()


def _made(spec: EnvironmentSpec) -> Made:
    """Returns what no row of a stack has: the bootstrap's objects, and what belongs together."""
    aws, root = spec.aws, "application" if spec.application else "name"
    here = (aws.partition, aws.account)
    found: dict[tuple[str, ...], str] = {("application", *here, aws.region, application_of(spec)): root}
    found["IAM role", *here, bootstrap_names(spec).deployer_role] = root
    if spec.snowflake.deploy_role is None:
        found["role of Snowflake", spec.snowflake.account.upper(), str(Names.of(spec).deploy_role)] = root
    found["bucket", bootstrap_names(spec).state_bucket] = root
    for index, stream in enumerate(spec.streams if spec.alarms.are_made else ()):
        # CloudWatch writes over an alarm that is there.
        alarms = f"{application_of(spec)}-{stream.name}-…"
        found["alarms", *here, aws.region, alarms] = f"streams[{index}].name"
    return {**found, **_views(spec)}


def _views(spec: EnvironmentSpec) -> Made:
    """Returns the views of Redshift, which statements make: a second environment may adopt the workgroup of a first."""
    redshift, found = spec.redshift, dict[tuple[str, ...], str]()
    if redshift is None:
        return found
    name = redshift.workgroup.name if redshift.workgroup is not None else redshift.cluster_name(application_of(spec))
    place = (spec.aws.partition, spec.aws.account, spec.aws.region, name or application_of(spec), redshift.database)
    for index, view in enumerate(redshift.views):
        if view.origin is Origin.CREATE:
            field = "name" if view.name else "stream"
            found["view of Redshift", *place, f"{view.schema_}.{view_of(view)}"] = f"redshift.views[{index}].{field}"
    return found


def _filled(spec: EnvironmentSpec) -> Mapping[tuple[str, ...], str]:
    """Returns the stream, the Snowflake account, the table and what chooses records, of each pipeline; to its path.

    Where two choose in different ways (by transforms that leave records out, a query, routes), they may divide a stream's
    records; what a pipe's WHERE drops, nobody knows here.
    """
    arns = {each.name: each.arn for each in source_streams(spec)}
    account, found = spec.snowflake.account.upper(), dict[tuple[str, ...], str]()
    for index, each in enumerate(spec.pipelines):
        if each.stream in arns and (each.pipe is None or each.pipe.rows is PipeRows.ONE):
            choosing = (*(one for one in each.transforms if one.leaves_records_out), each.query, each.routes)
            chosen = str([None if one is None else one.model_dump(mode="json") for one in choosing])
            found[arns[each.stream], account, str(table_of(each)), chosen] = f"pipelines[{index}]"
    return found
