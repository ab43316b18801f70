"""Starts the embedded environment and ends it: three servers, keys for three users, what the blueprint names.

Nothing survives this process, however it ends; the folder then holds logs, and keys that open nothing any more.
"""

import json
import os
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from firnline_infra.blueprint import EngineInputs, engine_config
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.keys_file import with_users
from firnline_infra.specification.service_users import NamedUser, service_users
from firnline_infra.specification.snowflake import PublicKeys
from firnline_local.endpoints import ADMIN_ROLE, ADMIN_USER, Endpoints, Login, Server
from firnline_local.folder import Folder
from firnline_local.keys import KeyFiles, make_key_pair
from firnline_local.provisioning import bootstrap, provision
from firnline_local.running import RunningEnvironment
from firnline_local.servers import Behaviour, ServerModules, Servers
from firnline_local.specification_here import for_this_machine
from firnline_local.state import EnvironmentState

SPARK_MASTER = "local[2]"
INSTALLED = ServerModules()


class LocalEnvironment:
    """A context manager; its value is the environment that runs. One a folder."""

    def __init__(
        self,
        folder: Path,
        spec: EnvironmentSpec,
        *,
        is_provisioned: bool = True,
        modules: ServerModules = INSTALLED,
        **behaviour: Any,
    ) -> None:
        """Unless `is_provisioned`, it holds only what a bootstrap makes: `firnline up` does the rest.

        `behaviour`: the fields of Behaviour.
        """
        self._is_provisioned = is_provisioned
        self._folder = Folder(folder)
        self._spec = spec
        self._servers = Servers(self._folder, spec, Behaviour(**behaviour), modules)
        self._open = ExitStack()

    def __enter__(self) -> RunningEnvironment:
        """Raises a LocalError, and then leaves nothing running."""
        with ExitStack() as stack:
            stack.enter_context(self._folder.held())
            stack.callback(self._servers.stop)
            environment = RunningEnvironment(self._folder.path, self._start())
            self._open = stack.pop_all()
        return environment

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def check(self) -> None:
        """Raises ProcessEnded where a server is no longer there."""
        self._servers.check()

    @property
    def pids(self) -> dict[Server, int]:
        """The servers' process ids, for tests that kill or freeze one."""
        return self._servers.pids

    def _start(self) -> EnvironmentState:
        users = service_users(self._spec)
        keys = {name: make_key_pair(self._folder.keys, name) for name in ("admin", *(each.key for each in users))}
        endpoints = self._servers.start(admin_public_key=keys["admin"].public_key_file)
        logins = _logins(users, keys)
        spec = _with_public_keys(for_this_machine(self._spec), keys)
        state = EnvironmentState(
            name=spec.name,
            pid=os.getpid(),
            started_at=datetime.now(UTC),
            endpoints=endpoints,
            logins=logins,
            is_provisioned=self._is_provisioned,
            engine_config=engine_config(Environment.of(spec), self._outputs(endpoints, keys)),
        )
        environment = RunningEnvironment(self._folder.path, state)
        spec = bootstrap(environment, spec)
        if self._is_provisioned:
            self._folder.made.write_text(json.dumps(provision(environment, spec)), encoding="utf-8")
        self._folder.engine_config.write_text(json.dumps(state.engine_config, indent=2) + "\n", encoding="utf-8")
        state.save(self._folder)
        return state

    def _outputs(self, endpoints: Endpoints, keys: dict[str, KeyFiles]) -> EngineInputs:
        return EngineInputs(
            private_keys={user: {"file": str(pair.private_key_file)} for user, pair in keys.items()},
            dead_letters={"folder": str(self._folder.engine / "dead-letters")},
            spark_checkpoint=str(self._folder.engine / "checkpoint"),
            aws_endpoints={
                service: endpoints.of_service(service)
                for service in ("kinesis", "dynamodb", "secretsmanager", "s3", "sts", "glue")
            },
            snowflake_url=endpoints.snowflake,
            snowflake_ca_file=str(endpoints.ca_file),
            spark_master=SPARK_MASTER,
        )


def _logins(users: Iterable[NamedUser], keys: dict[str, KeyFiles]) -> dict[str, Login]:
    admin = Login(user=ADMIN_USER, role=ADMIN_ROLE, private_key_file=keys["admin"].private_key_file)
    return {"admin": admin} | {
        each.key: Login(
            user=each.principal.user.name,
            role=str(each.principal.role),
            private_key_file=keys[each.key].private_key_file,
        )
        for each in users
    }


def _with_public_keys(spec: EnvironmentSpec, keys: dict[str, KeyFiles]) -> EnvironmentSpec:
    """The specification with the keys of this environment; whatever it named itself opens nothing here."""
    given = {
        each.key: each.options.model_copy(update={"public_keys": PublicKeys(slot_1=keys[each.key].public_key)})
        for each in service_users(spec)
    }
    return with_users(spec, given)
