"""A deployment whose engine is stood in for: its own tier is tests/e2e."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.pulumi_cli.errors import NoSuchStack, UnexpectedChanges
from firnline_infra.specification import load_spec
from firnline_infra.specification.public_key import public_key_body
from firnline_infra.stack.deployment import Deployment
from firnline_infra.stack.stack import Stack
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.provisioning import bootstrap
from firnline_local.running import RunningEnvironment

HERE = {"111122223333": "000000000000", "ACME-DEV": "FIRNLINE-LOCAL", "eu-central-1": "us-east-1"}


@dataclass
class Engine:
    """The calls that PulumiCli would have made."""

    resources: list[dict[str, Any]] | None = None
    calls: list[str] = field(default_factory=list)
    differs: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    gives: dict[str, Any] = field(default_factory=lambda: {"ledger_table": "firnline-dev"})
    at_destroy: Callable[[], object] = lambda: None

    def export(self, stack: str) -> dict[str, Any]:
        if self.resources is None:
            raise NoSuchStack("stack export", exit_status=6, lines=[])
        return {"deployment": {"resources": self.resources, "pending_operations": []}}

    def init(self, stack: str, *, secrets_provider: str) -> None:
        self.resources = self.resources or []
        self.calls.append("init")

    def up(self, stack: str, *, refresh: bool, plan: Path | None) -> None:
        self.calls.append("up --refresh" if refresh else "up")

    def preview(self, stack: str, *, refresh: bool, expect_no_changes: bool, save_plan: Path | None) -> None:
        self.calls.append("preview")
        if self.differs:
            raise UnexpectedChanges(stack, lines=[])

    def destroy(self, stack: str) -> None:
        self.calls.append("destroy")
        self.at_destroy()

    def outputs(self, stack: str) -> dict[str, Any]:
        return self.gives


@dataclass
class World:
    spec_file: Path
    environment: RunningEnvironment
    engine: Engine = field(default_factory=Engine)
    said: list[str] = field(default_factory=list)

    def keys(self, **secret_arns: str) -> None:
        """Writes keys as `firnline keys create` would have, with the embedded environment's own pairs."""
        users = {user: {"slot_1": self.public_key(user)} for user in ("ingest", "reader")}
        for user, arn in secret_arns.items():
            users[user]["secret_arn"] = arn
        self.keys_file.write_text(yaml.safe_dump(users))

    def public_key(self, user: str) -> str:
        return public_key_body((self.environment.folder.keys / f"{user}.pub.pem").read_text())

    @property
    def keys_file(self) -> Path:
        return self.spec_file.with_name("dev.keys.yaml")

    def change(self, before: str, after: str) -> None:
        text = self.spec_file.read_text()
        assert before in text
        self.spec_file.write_text(text.replace(before, after))

    @property
    def deployment(self) -> Deployment:
        return Deployment(
            spec=load_spec(self.spec_file),
            spec_file=self.spec_file,
            env_argument="dev",
            accounts=EmbeddedAccounts(self.environment),
            say=self.said.append,
            stack=Stack(self.engine, "dev"),
        )


def world_of(spec_file: Path, local_environment: RunningEnvironment) -> World:
    world = World(spec_file, local_environment)
    for before, after in HERE.items():
        world.change(before, after)
    world.change("name: orders", "name: carts")
    world.change("stream: orders", "stream: carts")
    world.keys()
    bootstrap(local_environment, load_spec(spec_file))
    return world
