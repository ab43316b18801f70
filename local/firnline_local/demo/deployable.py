"""An environment whose engine is deployed: its specification, its keys and its stack in the embedded clouds."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.service_users import service_users
from firnline_local.machine import ARCHITECTURE, PYTHON

if TYPE_CHECKING:
    from firnline_infra.rollout.environment import EngineEnvironment
    from firnline_infra.stack.deployment import Deployment
    from firnline_ingest.config.model import EngineConfig
    from firnline_local.running import RunningEnvironment

OVER = ("SUCCESS", "FAILED", "CANCELLED")
LOOK_S = 0.2
ON_THIS_MACHINE = {"driver_cores": 1, "executors": 2, "executor_cores": 1, "overhead_mib": 512}
RELEASE = "emr-spark-8.1.0"


def deployed_specification(name: str, account: str, region: str, *, shards: int) -> dict[str, Any]:
    """The specification of an engine on EMR Serverless that reads one stream, as small as this machine wants it."""
    return {
        "version": 1,
        "name": name,
        "durability": "EPHEMERAL",
        "aws": {
            "region": region,
            "account": account,
            "key": {"origin": "skip"},
            "runtime": {
                "trust": "emr-serverless",
                "python": PYTHON,
                "size": ON_THIS_MACHINE,
                "emr_serverless": {"release": RELEASE, "architecture": ARCHITECTURE},
            },
        },
        "snowflake": {"account": "FIRNLINE-LOCAL", "warehouse": "COMPUTE_WH"},
        "streams": [{"name": name, "shards": shards}],
        "pipelines": [{"stream": name, "database": name, "schema": "RAW", "table": "EVENTS", "error_logging": True}],
        "epoch": {"seconds": 10},
    }


@dataclass
class Deployable:
    """`document` is the specification; change it, and `up` again."""

    environment: "RunningEnvironment"
    folder: Path
    document: dict[str, Any]
    say: Callable[[str], None]
    terraform_providers: Mapping[str, str] | None = None
    """Where Terraform makes the stack (`firnline_local.terraform.serving`); else the Pulumi program does, in this process."""

    def __post_init__(self) -> None:
        from firnline_local.accounts import EmbeddedAccounts
        from firnline_local.pulumi.in_process.application import ProgramApplication

        self.accounts = EmbeddedAccounts(self.environment, terraform_providers=self.terraform_providers)
        self._program = ProgramApplication(self.environment)
        self._outputs: Mapping[str, Any] = {}
        self._file = self.folder / f"{self.name}.yaml"

    @property
    def name(self) -> str:
        return str(self.document["name"])

    @property
    def table(self) -> str:
        return f"{self.name}.RAW.EVENTS"

    @property
    def emr(self) -> Any:
        return self.environment.client("emr-serverless")

    @property
    def application_id(self) -> str:
        """Known once the stack is up."""
        return str(self._outputs["engine_place"])

    def prepare(self) -> None:
        """Makes what a platform team has before the first `up`: a network, the keys, the role that deploys."""
        (subnet, *_) = self.environment.client("ec2").describe_subnets()["Subnets"]
        self.document["aws"]["runtime"]["emr_serverless"] |= {
            "subnets": [subnet["SubnetId"]],
            "security_group": {"vpc": subnet["VpcId"]},
        }
        self.make_keys()

    def make_keys(self) -> None:
        """The keys of the engine's users, and the role that deploys."""
        from firnline_infra.keys import create_key
        from firnline_infra.keys.owner import KeyOwner
        from firnline_local.provisioning import bootstrap

        for user in service_users(self._spec()):
            create_key(KeyOwner.of(self._spec(), self._file, user.key, environment=self.name), self.accounts)
        bootstrap(self.environment, self._spec())

    def up(self) -> "EngineEnvironment":
        """The stack as the document has it, and the way to its engine."""
        from firnline_infra.rollout.environment import EngineEnvironment

        spec = self._spec()
        self._outputs = self._by_program(spec) if self.terraform_providers is None else self._by_terraform()
        return EngineEnvironment(
            spec=spec,
            accounts=self.accounts,
            outputs=lambda: self._outputs,
            env_argument=str(self._file),
            say=self.say,
        )

    def _by_program(self, spec: EnvironmentSpec) -> Mapping[str, Any]:
        from firnline_local.provisioning import PROJECT, program_of

        return self._program.up(program_of(spec), stack=spec.name, project=PROJECT)

    def _by_terraform(self) -> Mapping[str, Any]:
        """Makes the environment by `firnline up`; reads the outputs back from the state, as `firnline deploy` does."""
        self._deployment().up()
        return self._deployment().outputs()

    def _deployment(self) -> "Deployment":
        from firnline_infra.stack.deployment import Deployment

        return Deployment.of(self._file, str(self._file), self.accounts, lambda _: None)

    def attempts(self, run: str) -> list[dict[str, Any]]:
        """Newest first."""
        found = self.emr.list_job_run_attempts(applicationId=self.application_id, jobRunId=run)
        return list(found["jobRunAttempts"])

    def configuration(self, run: str) -> "EngineConfig":
        """Returns what the run was started with."""
        found = self.emr.get_job_run(applicationId=self.application_id, jobRunId=run)["jobRun"]
        (uri,) = found["jobDriver"]["sparkSubmit"]["entryPointArguments"]
        return self.configuration_at(uri)

    def configuration_at(self, uri: str) -> "EngineConfig":
        """An engine's document, from S3."""
        from firnline_ingest.config.load import parse_config

        bucket, _, key = uri.partition("://")[2].partition("/")
        return parse_config(self.environment.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read(), uri)

    def rows(self) -> int:
        _, found = self.environment.query(f"SELECT COUNT(*) FROM {self.table}", login="admin")
        return int(found[0][0])

    def destroy(self) -> None:
        """Destroys the environment and what still runs in it: an application is deleted only when it is stopped, and
        stopped only when no run is left."""
        if "engine_place" in self._outputs:
            place = {"applicationId": self.application_id}
            for run in self._left():
                self.emr.cancel_job_run(**place, jobRunId=run, shutdownGracePeriodInSeconds=0)
            while self._left():
                time.sleep(LOOK_S)
            if self.emr.get_application(**place)["application"]["state"] == "STARTED":
                self.emr.stop_application(**place)
        if self.terraform_providers is None:
            self._program.destroy()
        else:
            self._deployment().destroy()

    def _left(self) -> list[str]:
        listed = self.emr.list_job_runs(applicationId=self.application_id)["jobRuns"]
        return [run["id"] for run in listed if run["state"] not in OVER]

    def _spec(self) -> EnvironmentSpec:
        self._file.write_text(yaml.safe_dump(json.loads(json.dumps(self.document))), encoding="utf-8")
        return load_spec(self._file)
