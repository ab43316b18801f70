"""An environment, resolved once from its specification: its sections, and what follows from all of them together.

The blueprint, the rows of cloud objects (`kinds/`) and what is rendered are functions of it.
"""

from dataclasses import dataclass
from typing import Self

from firnline_infra.specification.adopted import adopted_databases, adopted_schemas, made_volumes
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import Alarms, Aws, Ledger, Publication, StreamOptions
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability, EnvironmentSpec, Metrics
from firnline_infra.specification.names import BootstrapNames, Names, bootstrap_names
from firnline_infra.specification.network import Network
from firnline_infra.specification.partition import Partition, partition_of
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.redshift import Redshift
from firnline_infra.specification.service_users import NamedUser, service_users
from firnline_infra.specification.snowflake import ExternalVolume, Snowflake
from firnline_infra.specification.source_streams import SourceStream, access_key_secrets, assumed_roles, source_streams
from firnline_infra.specification.target_tables import TargetTable, target_tables
from firnline_ingest.config.proxy import ProxyOptions


@dataclass(frozen=True, kw_only=True, repr=False)
class Environment:
    """The sections of an environment, as they are written and with their defaults, and what is derived from them."""

    name: str
    durability: Durability
    aws: Aws
    snowflake: Snowflake
    redshift: Redshift | None
    streams: tuple[StreamOptions, ...]
    pipelines: tuple[Pipeline, ...]
    ledger: Ledger
    dead_letters: DeadLetters
    network: Network
    proxy: ProxyOptions | None
    alarms: Alarms
    metrics: Metrics
    publication: Publication
    spec: EnvironmentSpec
    """The document, for what `specification/` answers of it."""

    names: Names
    bootstrap: BootstrapNames
    arns: Arns
    partition: Partition
    sources: tuple[SourceStream, ...]
    """The streams, each with where it is and what opens it."""
    access_key_secrets: tuple[str, ...]
    """ARNs of the secrets with access keys with which the engine begins."""
    assumed_roles: tuple[str, ...]
    """ARNs of the roles that the engine assumes as itself."""
    users: tuple[NamedUser, ...]
    """The Snowflake users: the engine's first, the reader last."""
    targets: tuple[TargetTable, ...]
    """The tables that pipelines fill: each one's own before those of its routes."""
    adopted_databases: frozenset[Identifier]
    adopted_schemas: frozenset[QualifiedName]
    made_volumes: tuple[ExternalVolume, ...]
    comment: str
    """The comment on every Snowflake object, by which a person, and a repair after a killed `up`, recognises it."""

    @classmethod
    def of(cls, spec: EnvironmentSpec) -> Self:
        """Resolves a specification."""
        names = Names.of(spec)
        return cls(
            name=spec.name,
            durability=spec.durability,
            aws=spec.aws,
            snowflake=spec.snowflake,
            redshift=spec.redshift,
            streams=tuple(spec.streams),
            pipelines=tuple(spec.pipelines),
            ledger=spec.ledger,
            dead_letters=spec.dead_letters,
            network=spec.network,
            proxy=spec.proxy,
            alarms=spec.alarms,
            metrics=spec.metrics,
            publication=spec.publication,
            spec=spec,
            names=names,
            bootstrap=bootstrap_names(spec),
            arns=Arns(spec),
            partition=partition_of(spec),
            sources=tuple(source_streams(spec)),
            access_key_secrets=access_key_secrets(spec),
            assumed_roles=assumed_roles(spec),
            users=service_users(spec),
            targets=tuple(target_tables(spec)),
            adopted_databases=adopted_databases(spec),
            adopted_schemas=adopted_schemas(spec),
            made_volumes=made_volumes(spec),
            comment=f"Firnline {spec.name} {names.application}",
        )

    def __repr__(self) -> str:
        return f"Environment({self.name})"

    @property
    def schemas_of_others(self) -> frozenset[QualifiedName]:
        """The adopted ones but for the PUBLIC of a database that is made here, which is the deploy role's like the database."""
        return frozenset(name for name in self.adopted_schemas if name.parts[0] in self.adopted_databases)

    def source(self, stream: str) -> SourceStream:
        """Returns the stream of that name; each pipeline's is there."""
        return next(each for each in self.sources if each.name == stream)

    def tags(self, component: str) -> dict[str, str]:
        """The tags of its objects in AWS. Firnline's own win over the specification's: drift and the destroy guard rely on
        them."""
        return dict(self.spec.tags) | {
            "firnline:environment": self.name,
            "firnline:application": self.names.application,
            "firnline:component": component,
        }
