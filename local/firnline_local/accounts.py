"""The accounts of a running embedded environment. Its administrator deploys, in the role that would deploy elsewhere.

Program, Pulumi home and state are in the environment's folder. The engine gets the token of that very environment, so that
it can't meet another cloud.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firnline_infra.accounts import PulumiPlace, TerraformPlace
from firnline_infra.pulumi_cli import find_cli
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.service_users import INGEST, service_users
from firnline_infra.stack.program import Program
from firnline_infra.stack.stack import acting_role
from firnline_infra.terraform import write_module
from firnline_ingest.aws.request_parts import keep_parts
from firnline_local.keys import public_key_body_of
from firnline_local.machine import ARCHITECTURE, PYTHON
from firnline_local.pulumi.home import INSTALLED, ProviderModule, PulumiHome
from firnline_local.pulumi.take_over import take_over
from firnline_local.running import RunningEnvironment
from firnline_local.specification_here import specification_here

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

NO_SUCH_ROLE = "390189"
WHOLE_OR_NOT_AT_ALL = "metadata=skip"
"""For a backend of files. Else each state has a file of attributes beside it, which is not replaced but written over: an
engine that is killed there leaves it empty, and no command reads that state again (`failed to load checkpoint: EOF`)."""


@dataclass(frozen=True)
class EmbeddedAccounts:
    """The accounts that commands use with `--local`: an embedded environment in the place of AWS and Snowflake."""

    environment: RunningEnvironment
    deploy_role: str | None = None
    """The administrator's own by default."""
    provider: ProviderModule = INSTALLED
    """What Pulumi meets in place of AWS and Snowflake."""
    terraform_providers: Mapping[str, str] | None = None
    """The variables by which Terraform finds its own (`firnline_local.terraform.serving`), where it makes environments here."""
    bootstrap: Callable[[], object] | None = None
    """Makes what an administrator makes before the first `up`. An embedded environment has it of the specification that it was
    started with; of a second one it is made when the deploy role is first asked for."""

    @property
    def place(self) -> str:
        return f"the EMBEDDED environment in {self.environment.folder.path}"

    @property
    def begin_empty(self) -> bool:
        return True

    @property
    def variables(self) -> Mapping[str, str]:
        return self.environment.variables

    @property
    def engines_machine(self) -> Mapping[str, str]:
        """This one: jobs are processes here, whatever the specification's release has."""
        return {"python": PYTHON, "architecture": ARCHITECTURE}

    def aws(self, service: str) -> Any:
        client = self.environment.client(service)
        keep_parts(client)
        return client

    def snowflake(self) -> "SnowflakeConnection":
        from firnline_ingest.errors import FirnlineError
        from firnline_local.endpoints import sql_session

        login = self.environment.logins["admin"]
        login = replace(login, role=self.deploy_role or login.role)
        try:
            return sql_session(self.environment.endpoints, login)
        except FirnlineError as error:
            if self.bootstrap is None or NO_SUCH_ROLE not in error.what:
                raise
        self.bootstrap()
        return sql_session(self.environment.endpoints, login)

    def snowflake_as(self, *, user: str, role: str, private_key: str) -> "SnowflakeConnection":
        from firnline_ingest.snowflake.connection import connect
        from firnline_ingest.snowflake.key import SigningKey

        endpoints = self.environment.endpoints
        return connect(
            account=endpoints.snowflake_account,
            user=user,
            role=role,
            url=endpoints.snowflake,
            key=SigningKey(private_key, f"key of {user}"),
            ca_file=endpoints.ca_file,
        )

    def key_file(self, spec: EnvironmentSpec, user: str) -> Path | None:
        return self.environment.folder.keys / f"{user}.pem" if self._has_own_key(spec, user) else None

    def specification(self, spec_file: Path) -> Path:
        """Raises ConfigError."""
        return specification_here(self.environment, spec_file, self._folder / "specification")

    def pulumi(self, stack: str, spec_file: Path) -> PulumiPlace:
        from firnline_local.pulumi.admission import variables

        backend = self._folder / "state"
        backend.mkdir(parents=True, exist_ok=True)
        home = PulumiHome.write(self._folder / "home", self.provider)
        program = Program.copied(stack, self.specification(spec_file), self._folder / "program")
        spec = load_spec(spec_file)
        own = home.variables(backend=f"file://{backend}?{WHOLE_OR_NOT_AT_ALL}", passphrase="")
        place = PulumiPlace(
            binary=home.cli(find_cli()),
            project=program.folder,
            variables={**own, **variables(self.environment), "SNOWFLAKE_ROLE": acting_role(spec, os.environ)},
        )
        if self.environment.has_made(spec.name):
            take_over(self.environment.folder.made, place, stack)
        return place

    def terraform(self, stack: str, spec_file: Path) -> TerraformPlace | None:
        """The module is written here, and its state is beside it."""
        if self.terraform_providers is None:
            return None
        module = self._folder.with_name("terraform") / stack
        write_module(load_spec(self.specification(spec_file)), module, keeps_state=True)
        return TerraformPlace(
            module=module, variables={**self.terraform_providers, "TF_VAR_role_propagation_seconds": "0"}
        )

    def engine_config(self, document: dict[str, Any], spec: EnvironmentSpec) -> dict[str, Any]:
        """Returns the configuration with the embedded environment's endpoints; what is read into which table, and as
        whom, stays.

        So are the folders of an engine that is started by hand; a job of a runtime runs beside its bucket, as it does
        elsewhere.

        `spec` has its public keys. One that is the environment's own belongs to a file there.
        """
        own = self.environment.engine_config()
        snowflake = {**document["snowflake"], **{name: own["snowflake"][name] for name in ("url", "ca_file")}}
        if self._has_own_key(spec, INGEST):
            snowflake["private_key"] = own["snowflake"]["private_key"]
        logins = {each["stream"]: each.get("login") for each in own.get("pipelines", ())}
        pipelines = [
            {**each, "login": logins[each["stream"]]} if self._has_own_key(spec, each["stream"]) else each
            for each in document.get("pipelines", ())
        ]
        aws = {"region": document["aws"]["region"], "endpoints": own["aws"]["endpoints"]}
        spark = {**own["spark"], "conf": {**document["spark"].get("conf", {}), **own["spark"].get("conf", {})}}
        by_hand = {"dead_letters": own["dead_letters"], "spark": spark} if spec.aws.runtime.job is None else {}
        return {
            **document,
            "aws": aws,
            "snowflake": snowflake,
            **({"pipelines": pipelines} if pipelines else {}),
            **by_hand,
        }

    def _has_own_key(self, spec: EnvironmentSpec, user: str) -> bool:
        """Returns whether the key is one that this environment has made, and that a file of it holds."""
        known = {each.key: each.options.public_keys.slot_1 for each in service_users(spec)}
        return user in known and known[user] == public_key_body_of(self.environment.folder.keys, user)

    @property
    def _folder(self) -> Path:
        return self.environment.folder.engine / "pulumi"
