"""The names of everything in an environment that its specification leaves unnamed. No other file makes one up."""

from dataclasses import dataclass
from typing import Self

from firnline_infra.spec.identifier import Identifier, QualifiedName
from firnline_infra.spec.model import EnvironmentSpec, Pipeline, ServiceUser
from firnline_ingest.snowflake.identifiers import table_name


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A Snowflake user and its role."""

    user: Identifier
    role: Identifier


@dataclass(frozen=True, kw_only=True)
class Names:
    application: str
    ledger_table: str
    ingest: Principal
    reader: Principal

    @classmethod
    def of(cls, spec: EnvironmentSpec) -> Self:
        application = spec.application or f"firnline-{spec.name}"
        return cls(
            application=application,
            ledger_table=spec.ledger.table or application,
            ingest=_principal(spec.snowflake.ingest, f"FIRNLINE_{spec.name}_INGEST"),
            reader=_principal(spec.snowflake.reader, f"FIRNLINE_{spec.name}_READER"),
        )


def _principal(named: ServiceUser, default: str) -> Principal:
    user = Identifier.parse(named.user or default.replace("-", "_"))
    return Principal(user=user, role=Identifier.parse(named.role) if named.role else user)


def table_of(pipeline: Pipeline) -> QualifiedName:
    table = Identifier.parse(pipeline.table) if pipeline.table else Identifier(table_name(pipeline.stream))
    return QualifiedName((*QualifiedName.of(pipeline.database, pipeline.schema_).parts, table))
