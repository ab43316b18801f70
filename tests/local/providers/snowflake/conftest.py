"""Resources in the one embedded environment, inside a database of their own.

What every resource has to stand: made once, read back, changed behind its back, repaired, removed, gone.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from firnline_local.providers.clients import Clients
    from firnline_local.providers.kind import CreatedResource, Kind
    from firnline_local.running import RunningEnvironment

DATABASE, SCHEMA = "PROVIDED_DB", "S"
ALREADY_EXISTS = 2002


@dataclass
class Life:
    """One resource that exists."""

    type: "Kind"
    inputs: Mapping[str, Any]
    clients: "Clients"
    made: "CreatedResource"

    def read(self) -> dict[str, Any]:
        found = self.type.read(self.made.id, self.made.properties, self.clients)
        assert found is not None
        return dict(found)

    def drifts(self, statement: str, **changed: Any) -> None:
        """After the statement exactly these properties read otherwise; an update makes them again as they were."""
        before = self.read()
        self.clients.execute(statement)
        after = self.read()
        assert {name: after.get(name) for name in changed} == changed
        same = before.keys() - changed.keys() - {"describeOutputs"}
        assert {name: after.get(name) for name in same} == {name: before[name] for name in same}
        self.type.update(self.made.id, self._inputs_in(after), self.inputs, self.clients)
        assert self.read() == before

    def changes_to(self, **changed: Any) -> dict[str, Any]:
        """Updates to other inputs (None removes one) and back again; what was read in between."""
        before = self.read()
        merged = {**self.inputs, **changed}
        wanted = {name: value for name, value in merged.items() if value is not None}
        self.type.update(self.made.id, self.inputs, wanted, self.clients)
        found = self.type.read(self.made.id, wanted, self.clients)
        assert found is not None
        self.type.update(self.made.id, wanted, self.inputs, self.clients)
        assert self.read() == before
        return dict(found)

    def _inputs_in(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Reads it as a refresh does: what was read, without the outputs."""
        outputs = {"fullyQualifiedName", "owner", "userType", "describeOutputs", "warehouseType"}
        return {name: value for name, value in properties.items() if name not in outputs}


@contextmanager
def life(type_: "Kind", inputs: Mapping[str, Any], clients: "Clients", *, twice: bool | None = False) -> Iterator[Life]:
    """Makes it and removes it. A second create is refused by its name, or else (None); or the service takes it `twice`."""
    from snowflake.connector.errors import ProgrammingError

    made = type_.create(inputs, clients)
    try:
        assert dict(type_.read(made.id, made.properties, clients) or {}) == dict(made.properties)
        assert {name: made.properties.get(name) for name in inputs} == inputs
        if not twice:
            with pytest.raises(ProgrammingError) as refused:
                type_.create(inputs, clients)
            assert twice is None or refused.value.errno == ALREADY_EXISTS
        yield Life(type_, inputs, clients, made)
    finally:
        type_.delete(made.id, made.properties, clients)
    assert type_.read(made.id, {}, clients) is None
    type_.delete(made.id, made.properties, clients)


@pytest.fixture(scope="session")
def clients(local_environment: "RunningEnvironment") -> "Iterator[Clients]":
    from firnline_local.providers.clients import Clients

    with closing(Clients(local_environment.endpoints, local_environment.logins["admin"])) as clients:
        clients.execute(f"CREATE DATABASE {DATABASE}", f"CREATE SCHEMA {DATABASE}.{SCHEMA}")
        yield clients
        clients.execute(f"DROP DATABASE {DATABASE}")


@pytest.fixture
def live(clients: "Clients") -> Callable[..., AbstractContextManager[Any]]:
    """Makes a resource for the time of a `with` block: live(table, {...})."""
    clients.execute("USE WAREHOUSE COMPUTE_WH")  # a session loses its own with the last warehouse that a test made

    def start(type_: Any, inputs: Mapping[str, Any], **how: bool | None) -> AbstractContextManager[Any]:
        return life(type_, inputs, clients, **how)

    return start
