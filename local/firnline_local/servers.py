"""The four servers of the embedded environment, each a process of its own: Kinesis, AWS, what runs jobs, Snowflake."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from firnline_infra.specification import EnvironmentSpec
from firnline_local.endpoints import Endpoints, Server, control
from firnline_local.folder import Folder
from firnline_local.process import ChildProcess

START_TIMEOUT_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """The servers' behaviour where the real services leave room."""

    commit_lag_ms: int = 200
    """Between an append and its rows being visible; Snowflake itself takes seconds."""
    read_limits: bool = True
    """Five GetRecords and 2 MiB a second and shard, as Kinesis has it."""
    write_limits: bool = False
    """1,000 records and 1 MiB a second and shard; off, so that a demo fills a stream quickly."""
    ports: Mapping[Server, int] = field(default_factory=dict)
    """A free one for each server that is not named."""


@dataclass(frozen=True, kw_only=True)
class ServerModules:
    """Modules that the servers run, as `python -m`. Tests name modules of their own, which know more routes (tests/iam)."""

    kinesis: str = "firnline_local.kinesis"
    aws: str = "firnline_local.aws"
    runtimes: str = "firnline_local.runtimes"
    snowflake: str = "firnline_local.snowflake"
    folder: Path | None = None
    """Searched for the modules, before what PYTHONPATH names; needed for those that are not installed."""

    def variables(self) -> dict[str, str]:
        """This process's environment variables, with the folder put first."""
        path = [str(self.folder)] if self.folder else []
        path += [inherited] if (inherited := os.environ.get("PYTHONPATH")) else []
        return {**os.environ, **({"PYTHONPATH": os.pathsep.join(path)} if path else {})}


class Servers:
    def __init__(self, folder: Folder, spec: EnvironmentSpec, behaviour: Behaviour, modules: ServerModules) -> None:
        self._folder = folder
        self._spec = spec
        self._behaviour = behaviour
        self._modules = modules
        self._children: dict[Server, ChildProcess] = {}

    def start(self, *, admin_public_key: Path) -> Endpoints:
        """Returns when all answer, and Snowflake and the runtimes know where AWS is.

        Raises ProcessEnded, ProcessNotReady, PortInUse or ControlRefused; call `stop` then, too.
        """
        spec, behaviour = self._spec, self._behaviour
        self._spawn(
            "kinesis",
            *("--account-id", spec.aws.account, "--region", spec.aws.region),
            "--read-limits" if behaviour.read_limits else "--no-read-limits",
            "--write-limits" if behaviour.write_limits else "--no-write-limits",
        )
        self._spawn("aws", variables={"MOTO_ACCOUNT_ID": spec.aws.account})
        self._spawn(
            "runtimes",
            *("--account-id", spec.aws.account, "--region", spec.aws.region, "--folder", str(self._folder.runtimes)),
        )
        self._spawn(
            "snowflake",
            *("--account", spec.snowflake.account, "--admin-public-key", str(admin_public_key)),
            *("--state", str(self._folder.snowflake), "--commit-lag-ms", str(behaviour.commit_lag_ms)),
        )
        ready = {name: child.wait_until_ready(timeout_s=START_TIMEOUT_S) for name, child in self._children.items()}
        endpoints = Endpoints(
            region=spec.aws.region,
            aws_account=spec.aws.account,
            kinesis=ready["kinesis"]["endpoint"],
            aws=ready["aws"]["endpoint"],
            runtimes=ready["runtimes"]["endpoint"],
            snowflake=ready["snowflake"]["endpoint"],
            snowflake_account=spec.snowflake.account,
            ca_file=Path(ready["snowflake"]["ca_file"]),
        )
        control(endpoints, "snowflake", "aws", {"endpoint": endpoints.aws, "region": endpoints.region})
        control(endpoints, "runtimes", "places", {"aws": endpoints.aws, "kinesis": endpoints.kinesis})
        return endpoints

    @property
    def pids(self) -> dict[Server, int]:
        return {name: child.pid for name, child in self._children.items()}

    def check(self) -> None:
        """Raises ProcessEnded where one is no longer there."""
        for child in self._children.values():
            child.check()

    def stop(self) -> None:
        """Returns when all are gone."""
        for child in self._children.values():
            child.request_stop()
        for child in self._children.values():
            child.stop()

    def _spawn(self, name: Server, *arguments: str, variables: Mapping[str, str] | None = None) -> None:
        self._children[name] = ChildProcess.start(
            getattr(self._modules, name),
            ["--port", str(self._behaviour.ports.get(name, 0)), *arguments],
            name=name,
            log_file=self._folder.logs / f"{name}.log",
            environment={**self._modules.variables(), **(variables or {})},
        )
