"""Redshift: streams that it can read, views that are told apart, and names that mean what they say."""

from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of, refresh_of, view_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.redshift import StreamView, ViewRefresh
from firnline_infra.specification.redshift_sql import refusals
from firnline_infra.specification.source_streams import source_streams

LARGEST_KIB = 1024
LONGEST_SCHEDULE = 64


def _streams_are_readable(spec: EnvironmentSpec) -> Iterator[str]:
    streams = {stream.name: stream for stream in source_streams(spec)}
    for path, view in _views(spec):
        stream = streams.get(view.stream)
        if stream is None:
            yield f"{path}.stream: there is no stream {view.stream}; list it in `streams`, or name one of them."
        elif stream.is_others or stream.options.is_opened_by_another:
            yield (
                f"{path}.stream: {view.stream} is another account's, and Redshift finds a stream by its name in its own role's "
                f"account; have its owner create the view there."
            )
        elif (largest := stream.options.max_record_kib) > LARGEST_KIB:
            yield (
                f"{path}.stream: {view.stream} takes records of {largest} KiB, and streaming ingestion is written "
                f"for 1 MiB; leave max_record_kib out, or the view."
            )


def _capitals_need_the_setting(spec: EnvironmentSpec) -> Iterator[str]:
    for path, view in _views(spec):
        assert spec.redshift is not None
        if view.stream != view.stream.lower() and not spec.redshift.case_sensitive:
            yield (
                f"{path}.stream: {view.stream} has capitals, and Redshift makes small letters of them; say "
                f"redshift.case_sensitive: true, which enable_case_sensitive_identifier of the database has to be too."
            )


def _views_are_told_apart(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[tuple[str, str], str] = {}
    for path, view in _views(spec):
        names = [(f"{path}.name", view_of(view))]
        names += [(f"{path}.views[{number}].name", each.name) for number, each in enumerate(view.views)]
        for place, name in names:
            other = first.setdefault((view.schema_, name), place)
            if other != place:
                yield f"{place}: {view.schema_}.{name} is the view of {other} already; give it another name."


def _an_adopted_view_is_in_what_is_adopted(spec: EnvironmentSpec) -> Iterator[str]:
    for path, view in _views(spec):
        assert spec.redshift is not None
        if view.origin is Origin.ADOPT and spec.redshift.is_made:
            yield f"{path}.origin: what reads the streams is created here, so it has no view to adopt; leave it to be created."


def _a_schedule_is_the_owner(spec: EnvironmentSpec) -> Iterator[str]:
    section = spec.redshift
    for path, view in _views(spec):
        assert section is not None
        if view.refresh_every_minutes is None:
            continue
        if view.origin is Origin.ADOPT:
            yield f"{path}.refresh_every_minutes: the view is adopted, and only its owner may refresh it; remove it."
        elif section.secret_arn is None and section.db_user is None:
            yield (
                f"{path}.refresh_every_minutes: only its owner may refresh a view, and EventBridge Scheduler can't log in as the "
                f"role that deploys; say secret_arn{' or cluster.db_user' if section.cluster else ''}, a user who owns the views."
            )
        name = refresh_of(application_of(spec), view)
        if len(name) > LONGEST_SCHEDULE:
            yield (
                f"{path}.name: its schedule would be {name}, and EventBridge takes {LONGEST_SCHEDULE} letters; give a name with "
                f"{len(name) - LONGEST_SCHEDULE} less."
            )


SMALLEST, LARGEST_OF_EIGHTS, SUBNETS = 4, 512, 3
"""Management guide, "Compute capacity for Amazon Redshift Serverless" and "Considerations when using Amazon Redshift Serverless"
(2026-11-30)."""


def _a_workgroup_is_one_that_serverless_takes(spec: EnvironmentSpec) -> Iterator[str]:
    workgroup = spec.redshift.workgroup if spec.redshift else None
    if workgroup is None:
        return
    capacity, subnets = workgroup.base_capacity, len(workgroup.subnets)
    if capacity != SMALLEST and capacity % (8 if capacity <= LARGEST_OF_EIGHTS else 32):
        yield (
            f"redshift.workgroup.base_capacity: must be {SMALLEST}, a multiple of 8 up to {LARGEST_OF_EIGHTS}, or above that a "
            f"multiple of 32 (RPUs; got {capacity})."
        )
    if 0 < subnets < SUBNETS:
        yield (
            f"redshift.workgroup.subnets: must be {SUBNETS} or more, in three Availability Zones, of which us-west-1 "
            f"has two (got {subnets}). Give more, or none for those of the default VPC."
        )


LONGEST_DATABASE = 64
WORDS = """
aes128 aes256 all allowoverwrite analyse analyze and any array as asc authorization az64 backup between binary blanksasnull
both bytedict bzip2 case cast check collate column constraint create credentials cross current_date current_time
current_timestamp current_user current_user_id default deferrable deflate defrag delta delta32k desc disable distinct do else
emptyasnull enable encode encrypt encryption end except explicit false for foreign freeze from full globaldict256
globaldict64k grant group gzip having identity ignore ilike in initially inner intersect interval into is isnull join leading
left like limit localtime localtimestamp lun luns lzo lzop minus mostly16 mostly32 mostly8 natural new not notnull null nulls
off offline offset oid old on only open or order outer overlaps parallel partition percent permissions pivot placing primary
raw readratio recover references rejectlog resort respect restore right select session_user similar snapshot some sysdate
system table tag tdes text255 text32k then timestamp to top trailing true truncatecolumns type union unique unnest unpivot
user using verbose wallet when where with without
"""
RESERVED = frozenset(WORDS.split())
"""Reserved words of Redshift, as sqlglot's dialect has them; CreateCluster refuses them as DBName (API reference, 2026-11-30)."""


def _a_made_clusters_database_has_a_name_that_redshift_takes(spec: EnvironmentSpec) -> Iterator[str]:
    if spec.redshift is None or spec.redshift.cluster is None or not spec.redshift.is_made:
        return
    name = spec.redshift.database
    if name in RESERVED:
        yield f"redshift.database: {name} is a reserved word of Redshift; choose another name."
    if len(name) > LONGEST_DATABASE:
        yield f"redshift.database: must be {LONGEST_DATABASE} letters or fewer for a cluster that is created (got {len(name)})."


def _statements_are_redshifts(spec: EnvironmentSpec) -> Iterator[str]:
    for path, view in _views(spec):
        itself = view.refresh is ViewRefresh.AUTO
        for refusal in refusals(view.where or "", refreshes_itself=itself):
            yield f"{path}.where: {refusal}."
        for number, each in enumerate(view.views):
            yield from (f"{path}.views[{number}].select: {refusal}." for refusal in refusals(each.select))


def _views(spec: EnvironmentSpec) -> Iterator[tuple[str, StreamView]]:
    for number, view in enumerate(spec.redshift.views if spec.redshift else ()):
        yield f"redshift.views[{number}]", view


CHECKS = (
    _streams_are_readable,
    _capitals_need_the_setting,
    _views_are_told_apart,
    _an_adopted_view_is_in_what_is_adopted,
    _a_schedule_is_the_owner,
    _a_workgroup_is_one_that_serverless_takes,
    _a_made_clusters_database_has_a_name_that_redshift_takes,
    _statements_are_redshifts,
)
