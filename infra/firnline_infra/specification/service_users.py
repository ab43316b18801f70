"""The Snowflake users of an environment: the engine's, those that pipelines have for themselves, and the reader."""

from collections.abc import Iterator

from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, Principal
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.runtime import Trust
from firnline_infra.specification.snowflake import ServiceUser

INGEST, READER = "ingest", "reader"


@part
class NamedUser(Definition):
    """One of them, and all that is named after it."""

    key: str
    """What `firnline keys` calls it: ingest, reader, or the stream whose pipeline it is the user of."""
    path: str
    """Where the specification has it."""
    options: ServiceUser
    principal: Principal
    secret: str
    """The name of the secret with its private key."""
    whose: str
    has_secret: bool
    """True if its private key is in Secrets Manager: not where the engine's machine, or another store, has it."""

    @property
    def is_made(self) -> bool:
        return self.options.origin is ObjectOrigin.CREATE

    @property
    def writes(self) -> bool:
        return self.key != READER


def service_users(spec: EnvironmentSpec) -> tuple[NamedUser, ...]:
    """The engine's come first; its common one only where a pipeline has none of its own."""
    return (*_writers(spec), _reader(spec))


def user_of(spec: EnvironmentSpec, pipeline: Pipeline) -> NamedUser:
    """The one that writes the pipeline's tables."""
    key = INGEST if pipeline.ingest is None else pipeline.stream
    return next(each for each in service_users(spec) if each.key == key)


def _writers(spec: EnvironmentSpec) -> Iterator[NamedUser]:
    names = Names.of(spec)
    if any(each.ingest is None for each in spec.pipelines) or not spec.pipelines:
        yield NamedUser(
            key=INGEST,
            path="snowflake.ingest",
            options=spec.snowflake.ingest,
            principal=names.ingest,
            secret=names.ingest_secret,
            whose="of the engine",
            has_secret=_has_secret(spec, spec.snowflake.ingest),
        )
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.ingest is not None:
            yield NamedUser(
                key=pipeline.stream,
                path=f"pipelines[{index}].ingest",
                options=pipeline.ingest,
                principal=names.ingest_of[pipeline.stream],
                secret=f"{names.ingest_secret}/{pipeline.stream}",
                whose=f"of the pipeline of {pipeline.stream}",
                has_secret=_has_secret(spec, pipeline.ingest),
            )


def _reader(spec: EnvironmentSpec) -> NamedUser:
    names = Names.of(spec)
    return NamedUser(
        key=READER,
        path="snowflake.reader",
        options=spec.snowflake.reader,
        principal=names.reader,
        secret=names.reader_secret,
        whose="of audit and status",
        has_secret=_has_secret(spec, spec.snowflake.reader),
    )


def _has_secret(spec: EnvironmentSpec, user: ServiceUser) -> bool:
    return spec.aws.runtime.trust is not Trust.NOBODY and user.private_key is None
