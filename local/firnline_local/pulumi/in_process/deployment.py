"""A deployment in this process: each resource that a program registers, step by step and one at a time.

A resource that was made before is read first: what is gone is made anew, what differs is changed or replaced. Each step is in
the records as soon as it has taken effect, so that what a failure leaves is known.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from firnline_local.errors import UnknownTypeToken
from firnline_local.pulumi.cloud import Cloud, made_up_name
from firnline_local.pulumi.errors import DeletionRefused, ImportRefused, InputsRefused

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

PACKAGES = ("aws", "snowflake")


@dataclass(frozen=True, kw_only=True)
class ResourceGoal:
    """A resource as a program registers it."""

    urn: str
    token: str
    name: str
    inputs: Mapping[str, Any]
    provider: str = ""
    secrets: tuple[str, ...] = ()
    import_id: str = ""
    ignored: frozenset[str] = field(default_factory=frozenset)
    is_protected: bool = False
    is_retained: bool = False


@dataclass(frozen=True, kw_only=True)
class Record:
    """A resource that was made: what is needed to look at it again, change it, and delete it."""

    urn: str
    token: str
    name: str
    """The logical one, in the program."""
    id: str
    inputs: Mapping[str, Any]
    properties: Mapping[str, Any]
    provider: str = ""
    """How the program refers to its provider; empty for the stack's own."""
    is_protected: bool = False
    is_retained: bool = False
    """Left alone, where the program no longer names it."""
    configuration: Mapping[str, Any] = field(default_factory=dict)
    """Of its provider, where that is the program's."""


class Deployment:
    """`config` is the stack's: `aws:region` configures the provider that resources have where they name none."""

    def __init__(
        self, environment: "RunningEnvironment", *, config: Mapping[str, str], records: Iterable[Record] = ()
    ) -> None:
        self._environment = environment
        self._config = config
        self._records = {record.urn: record for record in records}
        self._named: set[str] = set()
        self._clouds: dict[str, Cloud] = {}
        self._configurations: dict[str, Mapping[str, Any]] = {}

    @property
    def records(self) -> list[Record]:
        """The records in the order in which they were made."""
        return list(self._records.values())

    def configure(self, provider: str, package: str, configuration: Mapping[str, Any]) -> None:
        """A provider of the program's own. Raises UnknownTypeToken or ConfigurationRefused."""
        if package not in PACKAGES:
            raise UnknownTypeToken(
                f"pulumi:providers:{package}", known=[f"pulumi:providers:{each}" for each in PACKAGES]
            )
        cloud = self._clouds[provider] = Cloud(package, self._environment)
        cloud.configure(configuration)
        self._configurations[provider] = configuration

    def cloud(self, token: str, provider: str = "") -> Cloud:
        """The one that makes a type. Raises UnknownTypeToken."""
        package = token.partition(":")[0]
        if package not in PACKAGES:
            raise UnknownTypeToken(token, known=list(PACKAGES))
        key = provider or package
        if key not in self._clouds:
            prefix = f"{package}:"
            found = {
                name.removeprefix(prefix): value for name, value in self._config.items() if name.startswith(prefix)
            }
            self.configure(key, package, found)
        return self._clouds[key]

    def register(self, wanted: ResourceGoal) -> Record:
        """Raises InputsRefused, ServiceRefused, ImportRefused, DeletionRefused, UnknownTypeToken."""
        cloud = self.cloud(wanted.token, wanted.provider)
        known = self._records.get(wanted.urn)
        inputs, problems = cloud.check(
            wanted.token,
            wanted.inputs,
            old=known.inputs if known else {},
            proposed_name=made_up_name(wanted.name, wanted.urn.encode()),
            secrets=wanted.secrets,
        )
        if problems:
            raise InputsRefused(wanted.token, wanted.name, problems)
        self._named.add(wanted.urn)
        if known is not None:
            return self._resume(cloud, known, wanted, inputs)
        if wanted.import_id:
            return self._import(cloud, wanted, inputs)
        return self._create(cloud, wanted, inputs)

    def delete_the_unnamed(self) -> None:
        """Deletes what was made before and is no longer in the program, last made first."""
        for record in reversed(self.records):
            if record.urn not in self._named:
                self._delete(record)

    def close(self) -> None:
        for cloud in self._clouds.values():
            cloud.close()

    def _create(self, cloud: Cloud, wanted: ResourceGoal, inputs: Mapping[str, Any]) -> Record:
        made = cloud.create(wanted.token, wanted.name, inputs)
        self._records.pop(wanted.urn, None)
        return self._keep(wanted, made.id, inputs, made.properties)

    def _import(self, cloud: Cloud, wanted: ResourceGoal, inputs: Mapping[str, Any]) -> Record:
        found = cloud.read(wanted.token, wanted.name, wanted.import_id, inputs={}, properties={})
        if found is None:
            raise ImportRefused(wanted.token, wanted.name, wanted.import_id, "there is none.")
        changes = cloud.diff(wanted.token, old=found.inputs, state=found.properties, new=inputs)
        if differing := [change.property for change in changes if change.property not in wanted.ignored]:
            why = f"it differs from the program in {', '.join(differing)}."
            raise ImportRefused(wanted.token, wanted.name, wanted.import_id, why)
        return self._keep(wanted, found.id, inputs, {**inputs, **found.properties})

    def _resume(self, cloud: Cloud, known: Record, wanted: ResourceGoal, inputs: Mapping[str, Any]) -> Record:
        token, name = wanted.token, wanted.name
        found = cloud.read(token, name, known.id, inputs=known.inputs, properties=known.properties)
        if found is None:
            return self._create(cloud, wanted, inputs)
        changes = cloud.diff(token, old=found.inputs, state=found.properties, new=inputs)
        changes = [change for change in changes if change.property not in wanted.ignored]
        if any(change.replaces for change in changes):
            self._delete(known)
            return self._create(cloud, wanted, inputs)
        if not changes:
            return self._keep(wanted, known.id, inputs, {**inputs, **found.properties})
        kept = {name: value for name, value in found.inputs.items() if name in wanted.ignored}
        properties = cloud.update(token, name, known.id, old=found.inputs, new={**inputs, **kept})
        return self._keep(wanted, known.id, inputs, properties)

    def _keep(self, wanted: ResourceGoal, id_: str, inputs: Mapping[str, Any], properties: Mapping[str, Any]) -> Record:
        record = Record(
            urn=wanted.urn,
            token=wanted.token,
            name=wanted.name,
            id=id_,
            inputs=inputs,
            properties=properties,
            provider=wanted.provider,
            is_protected=wanted.is_protected,
            is_retained=wanted.is_retained,
            configuration=self._configurations.get(wanted.provider, {}),
        )
        self._records[wanted.urn] = record
        return record

    def _delete(self, record: Record) -> None:
        if record.is_protected:
            raise DeletionRefused(record.token, record.name)
        if record.provider and record.provider not in self._clouds:
            self.configure(record.provider, record.token.partition(":")[0], record.configuration)
        if not record.is_retained:
            self.cloud(record.token, record.provider).delete(record.token, record.name, record.id, record.properties)
        del self._records[record.urn]
