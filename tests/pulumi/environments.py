"""An environment of stacks/environments in an embedded cloud of its own, empty but for its bootstrap and its keys."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.keys.create import create_key
from firnline_infra.keys.encryption_key import record_encryption_key
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.specification import load_spec
from firnline_infra.specification.runtime import Trust
from firnline_infra.specification.service_users import service_users
from firnline_infra.stack.deployment import Deployment
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.environment import LocalEnvironment
from firnline_local.running import RunningEnvironment

from .pausing_plugin import PAUSING
from .survey.asked_of_aws import asked_of_aws, resolver
from .survey.asked_of_snowflake import asked_of_snowflake
from .survey.in_aws import Facts, in_aws
from .survey.in_snowflake import in_snowflake

SPECS = Path(__file__).parents[2] / "stacks" / "environments"


@dataclass(frozen=True)
class Trial:
    """An environment that can be made. What is there is read with boto3 and the connector, never through Pulumi."""

    spec_file: Path
    environment: RunningEnvironment

    @property
    def deployment(self) -> Deployment:
        """Anew from the file, which a test may have changed."""
        accounts = EmbeddedAccounts(self.environment, provider=PAUSING)
        return Deployment.of(self.spec_file, self.spec_file.stem, accounts, _ignore)

    @property
    def cli(self) -> PulumiCli:
        return self.deployment.stack.cli

    @property
    def stack(self) -> str:
        return self.spec_file.stem

    def asked(self, outputs: Mapping[str, Any]) -> Facts:
        blueprint = blueprint_of(self.deployment.spec)
        resolve = resolver(blueprint, self.environment.client, outputs)
        return asked_of_aws(blueprint, resolve) | asked_of_snowflake(blueprint, resolve)

    def differences(self, outputs: Mapping[str, Any], *, before: Facts) -> dict[str, Any]:
        """Returns what was asked for and is not so, as a pair with what is; and what has come or gone beside it."""
        asked, there = self.asked(outputs), survey(self.environment)
        wrong: dict[str, Any] = {
            name: (facts, there.get(name)) for name, facts in asked.items() if facts != there.get(name)
        }
        others = (there.keys() ^ before.keys()) - asked.keys()
        return wrong | {name: (before.get(name), there.get(name)) for name in others}

    def sql(self, statement: str) -> None:
        self.environment.query(statement, login="admin")


def survey(environment: RunningEnvironment) -> Facts:
    with closing(environment.connect("admin")) as session:
        return in_aws(environment.client) | in_snowflake(session)


@contextmanager
def trial_of(name: str, folder: Path, *, extended: bool = True) -> Iterator[Trial]:
    """`extended` adds to `local` what only the real engine can say of a pipeline's objects."""
    spec_file = folder / f"{name}.yaml"
    shutil.copyfile(SPECS / spec_file.name, spec_file)
    if name == "local" and extended:
        # Stage and pipe of its letters, and its latest rows: only the real engine says in which order they are made again.
        more = "    file_replay: true\n    columns: [{name: ORDER_ID, type: VARCHAR}]\n    latest_by: [ORDER_ID]\n"
        text = spec_file.read_text()
        spec_file.write_text(text.replace("    table: ORDERS\n", f"    table: ORDERS\n{more}"))
    spec = load_spec(spec_file)
    with LocalEnvironment(folder / "environment", spec, is_provisioned=False, commit_lag_ms=20) as environment:
        accounts, beside = EmbeddedAccounts(environment), ReviewedFile.beside(spec_file)
        record_encryption_key(spec, beside, accounts, environment=name)
        if spec.aws.runtime.trust is not Trust.NOBODY:  # else the environment's own keys are used
            for user in service_users(spec):
                create_key(KeyOwner.of(load_spec(spec_file), spec_file, user.key), accounts)
        yield Trial(spec_file, environment)


def _ignore(line: str) -> None:
    """Nobody listens."""
