"""An embedded environment that runs, seen from any process: clients, sessions, events, faults, and how it is reached.

The process that started it gets this from LocalEnvironment, every other one from `attach`.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from firnline_local.endpoints import (
    AWS_SERVICES,
    RUNTIMES,
    SERVERS,
    Endpoints,
    Login,
    aws_client,
    control,
    servers_of,
    sql_session,
)
from firnline_local.errors import StatementRefused
from firnline_local.folder import Folder
from firnline_local.state import EnvironmentState

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

    from firnline_ingest.sink import PartitionKey, SinkReport
    from firnline_local.faults import Fault

BOOTSTRAPPED = {"admin"}
"""The logins that there are before anything of a specification is made."""


class RunningEnvironment:
    """An embedded environment that runs already, perhaps in another process: its endpoints, logins and faults."""

    _putting: tuple[Endpoints, Any] | None = None
    """The client that `put_events` made, and where it asks: to make one takes longer than to put some events."""

    def __init__(self, folder: Path, state: EnvironmentState) -> None:
        self.folder = Folder(folder)
        self.state = state

    @classmethod
    def attach(cls, folder: Path) -> Self:
        """Raises NoEnvironment or StaleEnvironment."""
        return cls(folder, EnvironmentState.find(folder))

    def has_made(self, name: str) -> bool:
        """Returns whether its start has made the environment of that name."""
        return self.state.is_provisioned and self.state.name == name

    @property
    def endpoints(self) -> Endpoints:
        return self.state.endpoints

    @property
    def logins(self) -> dict[str, Login]:
        """admin, ingest, reader"""
        return self.state.logins

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables with which an AWS SDK, and so the engine, finds the embedded AWS."""
        return self.endpoints.aws_variables

    @property
    def reader_variables(self) -> dict[str, str]:
        """The variables of the commands that look at tables as the reader; none unless the key of this environment's file is the
        one that the user has: `firnline keys create` makes another, which is in no file.
        """
        reader = self.logins.get("reader")
        if reader is None or not self._is_registered(reader):
            return {}
        values = {"USER": reader.user, "ROLE": reader.role, "KEY": str(reader.private_key_file)}
        return {f"FIRNLINE_READER_{name}": value for name, value in values.items()}

    def _is_registered(self, login: Login) -> bool:
        from firnline_ingest.identifiers import quoted
        from firnline_ingest.snowflake.key import key_in_file

        try:
            _, rows = self.query(f"DESCRIBE USER {quoted(login.user)}", login="admin")
        except StatementRefused:
            return False
        slots = {str(row[1]) for row in rows if str(row[0]) in ("RSA_PUBLIC_KEY_FP", "RSA_PUBLIC_KEY_2_FP")}
        return key_in_file(login.private_key_file).fingerprint in slots

    def engine_config(self, **changes: Mapping[str, Any]) -> dict[str, Any]:
        """A document of EngineConfig. `changes` go into its sections: epoch={"seconds": 10}."""
        document = copy.deepcopy(self.state.engine_config)
        for section, values in changes.items():
            document[section] = {**document.get(section, {}), **values}
        return document

    def client(self, service: str) -> Any:
        """A boto3 client of the embedded AWS, Kinesis included."""
        return aws_client(self.endpoints, service)

    def connect(self, login: str = "reader") -> "SnowflakeConnection":
        """A session as admin, ingest or reader; the caller closes it."""
        return sql_session(self.endpoints, self.logins[login])

    def query(self, statement: str, *, login: str = "reader") -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns, and all rows. Raises StatementRefused."""
        from snowflake.connector.errors import Error

        with closing(self.connect(login)) as connection, closing(connection.cursor()) as cursor:
            try:
                cursor.execute(statement)
                rows = cursor.fetchall()
            except Error as error:
                raise StatementRefused(statement, self.logins[login].role, str(error)) from error
            names = [str(column[0]) for column in cursor.description or ()]
            return names, [tuple(row) for row in rows]

    def put_events(
        self, stream: str, events: Iterable[bytes | Mapping[str, Any]], *, key: "PartitionKey | None" = None
    ) -> "SinkReport":
        """Bytes go in as they are, mappings as JSON. Raises SinkFailed."""
        from firnline_ingest.sink import SinkOptions, by_number, put_all

        encoded = (event if isinstance(event, bytes) else json.dumps(event).encode() for event in events)
        if self._putting is None or self._putting[0] is not self.endpoints:
            self._putting = self.endpoints, self.client("kinesis")
        return put_all(self._putting[1], stream, encoded, SinkOptions(in_flight=4), key=key or by_number)

    def set_faults(self, faults: "Iterable[Fault]") -> None:
        """Replaces the faults of all servers, and so clears those that get none. Raises InvalidFault."""
        planned = [(fault, servers_of(fault.endpoint)) for fault in faults]
        for server in SERVERS:
            control(self.endpoints, server, "faults", [asdict(fault) for fault, on in planned if server in on])

    def add_fault(self, **fields: Any) -> None:
        """Adds one fault, by the fields of Fault, to those there are; all counts start anew. Raises InvalidFault."""
        from firnline_local.faults import Fault, faults_from_json

        planned = [{name: value for name, value in fault.items() if name != "server"} for fault in self.faults()]
        present = faults_from_json(json.dumps(planned))
        self.set_faults([*dict.fromkeys(present), Fault(**fields)])

    def faults(self) -> list[dict[str, Any]]:
        """Every fault with its server, and how many calls it has matched and hit."""
        return [
            {"server": server, **fault} for server in SERVERS for fault in control(self.endpoints, server, "faults")
        ]

    def as_document(self, *, is_provisioned: bool = True) -> dict[str, Any]:
        """For programs. Paths of keys, never keys."""
        document: dict[str, Any] = self.state.model_dump(mode="json", exclude={"engine_config", "is_provisioned"})
        document |= {
            "folder": str(self.folder.path),
            "variables": {**self.variables, "SSL_CERT_FILE": str(self.endpoints.ca_file)},
        }
        if is_provisioned:
            document["engine_config"] = str(self.folder.engine_config)
        else:
            document["logins"] = {name: login for name, login in document["logins"].items() if name in BOOTSTRAPPED}
        return document

    def as_table(self, *, is_provisioned: bool = True) -> str:
        """For people. Of an environment that is not provisioned, what is there: its servers, and its administrator."""
        lines = [
            *_servers(self.endpoints),
            *(
                (f"user {name}", f"{login.user}, key {login.private_key_file}")
                for name, login in self.logins.items()
                if is_provisioned or name in BOOTSTRAPPED
            ),
        ]
        if is_provisioned:
            lines += [*_pipelines(self.state), ("engine's configuration", str(self.folder.engine_config))]
        lines.append(("logs", str(self.folder.logs)))
        width = max(len(name) for name, _ in lines)
        table = "\n".join(f"  {name.ljust(width)}  {value}" for name, value in lines)
        empty = "" if is_provisioned else " and empty"
        return f"The embedded environment {self.state.name!r} is up{empty}; Ctrl-C ends it.\n\n{table}"


def _servers(endpoints: Endpoints) -> list[tuple[str, str]]:
    keys = endpoints.aws_variables["AWS_ACCESS_KEY_ID"]
    return [
        ("Kinesis", endpoints.kinesis),
        ("other AWS", f"{endpoints.aws} ({', '.join(AWS_SERVICES)})"),
        ("EMR, EKS, Redshift", f"{endpoints.runtimes} ({', '.join(RUNTIMES)})"),
        ("AWS keys", f"{keys} / {keys}, region {endpoints.region}, account {endpoints.aws_account}"),
        ("Snowflake", f"{endpoints.snowflake}, account {endpoints.snowflake_account}"),
        ("CA file", str(endpoints.ca_file)),
        ("  for the streaming SDK", "environment variable SSL_CERT_FILE"),
        (
            "  for the connector",
            "parameter custom_root_store_path (5.x), environment variable REQUESTS_CA_BUNDLE (4.x)",
        ),
    ]


def _pipelines(state: EnvironmentState) -> Iterator[tuple[str, str]]:
    for each in state.engine_config["pipelines"]:
        yield "pipeline", f"{each['stream']} -> {each['database']}.{each['schema']}.{each['table']}"
