"""A stream elsewhere: where it is, who opens it, and what can't be had of it here."""

from collections.abc import Iterator

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, bootstrap_names
from firnline_infra.specification.runtime import Trust
from firnline_infra.specification.source_streams import source_streams


def _arns_are_of_the_stream_and_the_partition(spec: EnvironmentSpec) -> Iterator[str]:
    for path, stream in _streams(spec):
        for field, arn in (("arn", stream.arn), *((_role_field(stream), role) for role in stream.roles)):
            if arn is not None and arn.split(":")[1] != spec.aws.partition:
                yield f"{path}.{field}: is of partition {arn.split(':')[1]}; expected {spec.aws.partition}, as in aws.partition."
        if stream.arn is not None and stream.arn.rpartition("/")[2] != stream.name:
            yield f"{path}.arn: is of stream {stream.arn.rpartition('/')[2]}; expected {stream.name}, as in name."


def _a_role_is_of_the_streams_account(spec: EnvironmentSpec) -> Iterator[str]:
    for source in source_streams(spec):
        stream = source.options
        if stream.roles and (found := stream.roles[-1].split(":")[4]) != source.account:
            yield (
                f"{source.path}.{_role_field(stream)}: is of account {found}; the stream is in {source.account}, and so "
                f"is a role that reads it by name."
            )


def _the_role_is_nobodys_here(spec: EnvironmentSpec) -> Iterator[str]:
    arns, made, names = Arns(spec), bootstrap_names(spec), Names.of(spec)
    own = {arns.role(each) for each in (made.deployer_role, made.previewer_role, names.engine_role)}
    for path, stream in _streams(spec):
        if stream.roles and stream.roles[-1] in own | {spec.aws.runtime.role_arn}:
            yield f"{path}.{_role_field(stream)}: is a role of this environment's own; name one that only reads the stream."
        if stream.external_id is not None and stream.role_arn is None:
            yield f"{path}.external_id: is said when a role is assumed; give role_arn, or remove it."


def _a_role_has_one_external_id(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[str, tuple[str, str | None]] = {}
    for path, stream in _streams(spec):
        if stream.role_arn is None:
            continue
        other, external_id = first.setdefault(stream.role_arn, (path, stream.external_id))
        if external_id != stream.external_id:
            yield f"{path}.external_id: {other} has another one for the same role, whose trust asks for one; give both the same."


def _nobody_registers_a_consumer_elsewhere(spec: EnvironmentSpec) -> Iterator[str]:
    for source in source_streams(spec):
        if source.options.consumers and not source.is_reached_from_here:
            yield f"{source.path}.consumers: are registered by the deployer, who reaches no other region or account; remove them."


def _it_is_polled(spec: EnvironmentSpec) -> Iterator[str]:
    there = {source.name for source in source_streams(spec) if not source.is_reached_from_here}
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.stream in there and pipeline.stream_pattern is not None:
            yield (
                f"pipelines[{index}].stream_pattern: {pipeline.stream} is elsewhere, and streams are found here alone; give "
                "each its own."
            )
        if pipeline.stream in there and pipeline.reader != "polling":
            yield (
                f"pipelines[{index}].reader: {pipeline.stream} is elsewhere, where nobody gives rights for consumers; expected "
                f"'polling'."
            )


def _its_letters_do_not_go_elsewhere(spec: EnvironmentSpec) -> Iterator[str]:
    for source in source_streams(spec):
        if source.name == spec.dead_letters.stream and not source.is_reached_from_here:
            yield (
                f"dead_letters.stream: {source.name} ({source.path}) is elsewhere; dead letters stay with the engine, so name "
                "another."
            )


def _somebody_assumes_the_role(spec: EnvironmentSpec) -> Iterator[str]:
    for source in source_streams(spec) if spec.aws.runtime.trust is Trust.NOBODY else ():
        if source.options.role_arn is not None:
            yield (
                f"{source.path}.role_arn: with trust: nobody nobody knows who would assume it, so that its owner can't trust "
                "anybody; choose another aws.runtime.trust."
            )
        if source.is_opened_by_its_policy:
            yield (
                f"{source.path}.arn: with trust: nobody nobody knows who would read it, so that its owner's policy can't name "
                "anybody; choose another aws.runtime.trust, or say who reads it (access)."
            )


def _role_field(stream: StreamOptions) -> str:
    """The specification's field for the stream's roles."""
    return "access.roles" if stream.role_arn is None else "role_arn"


def _streams(spec: EnvironmentSpec) -> Iterator[tuple[str, StreamOptions]]:
    for index, stream in enumerate(spec.streams):
        yield f"streams[{index}]", stream


CHECKS = (
    _arns_are_of_the_stream_and_the_partition,
    _a_role_is_of_the_streams_account,
    _the_role_is_nobodys_here,
    _a_role_has_one_external_id,
    _nobody_registers_a_consumer_elsewhere,
    _it_is_polled,
    _its_letters_do_not_go_elsewhere,
    _somebody_assumes_the_role,
)
