"""Dead letters last as long as they are needed, and don't come back as records."""

from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import others_of
from firnline_infra.specification.runtime import Trust
from firnline_ingest.errors import did_you_mean

MAY_BE_ONE_MACHINE = (Trust.NOBODY, Trust.STATIC_KEYS)


def _they_outlive_the_workers(spec: EnvironmentSpec) -> Iterator[str]:
    trust = spec.aws.runtime.trust
    if spec.dead_letters.folder is not None and trust not in MAY_BE_ONE_MACHINE:
        yield (
            f"dead_letters.folder: belongs to one machine, and the workers of runtime.trust: {trust.value} are several, and come "
            f"and go; leave it out (dead letters then go to the bucket), or give dead_letters.stream."
        )


def _their_stream_is_one_of_the_streams(spec: EnvironmentSpec) -> Iterator[str]:
    stream, names = spec.dead_letters.stream, [each.name for each in spec.streams]
    if stream is None:
        return
    if stream not in names:
        yield f"dead_letters.stream: {stream!r} is not among the streams; {did_you_mean(stream, names)}"
    for index, pipeline in enumerate(spec.pipelines):
        if stream in (pipeline.stream, *others_of(pipeline, [stream])):
            yield (
                f"dead_letters.stream: pipelines[{index}] reads it, so that dead letters would become records; name a stream "
                f"that no pipeline of this environment reads."
            )


def _what_goes_by_file_is_kept_in_a_folder(spec: EnvironmentSpec) -> Iterator[str]:
    if spec.dead_letters.stream is None:
        return
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.goes_by_file:
            yield (
                f"pipelines[{index}].oversize_rows: file needs dead letters in a bucket or a folder, which keeps beside them "
                f"what was replayed; remove it, or dead_letters.stream."
            )


CHECKS = (
    _they_outlive_the_workers,
    _their_stream_is_one_of_the_streams,
    _what_goes_by_file_is_kept_in_a_folder,
)
