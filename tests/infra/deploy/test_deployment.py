"""What is said before anything happens. The engine is stood in for: its own tier is tests/e2e."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.accounts.embedded import EmbeddedAccounts
from firnline_infra.accounts.errors import WrongAwsAccount, WrongSnowflakeAccount
from firnline_infra.deploy.deployment import Deployment
from firnline_infra.deploy.errors import AlreadyThere, DestroyRefused, NotDeployed
from firnline_infra.deploy.stack import Stack
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.pulumi_cli.errors import NoSuchStack, UnexpectedChanges
from firnline_infra.spec import load_spec

pytestmark = pytest.mark.contract
HERE = {"111122223333": "000000000000", "ACME-DEV": "FIRNLINE-LOCAL", "eu-central-1": "us-east-1"}


@dataclass
class Engine:
    """The calls that PulumiCli would have made."""

    resources: list[dict[str, Any]] | None = None
    calls: list[str] = field(default_factory=list)
    differs: bool = False
    variables: dict[str, str] = field(default_factory=dict)

    def export(self, stack: str) -> dict[str, Any]:
        if self.resources is None:
            raise NoSuchStack("stack export", exit_status=6, lines=[])
        return {"deployment": {"resources": self.resources, "pending_operations": []}}

    def init(self, stack: str) -> None:
        self.resources = self.resources or []
        self.calls.append("init")

    def up(self, stack: str, *, refresh: bool) -> None:
        self.calls.append("up")

    def preview(self, stack: str, *, refresh: bool, expect_no_changes: bool) -> None:
        self.calls.append("preview")
        if self.differs:
            raise UnexpectedChanges(stack, lines=[])

    def destroy(self, stack: str) -> None:
        self.calls.append("destroy")

    def outputs(self, stack: str) -> dict[str, Any]:
        return {"ledger_table": "firnline-dev"}


@dataclass
class World:
    spec_file: Path
    environment: RunningEnvironment
    engine: Engine = field(default_factory=Engine)

    def change(self, before: str, after: str) -> None:
        text = self.spec_file.read_text()
        assert before in text
        self.spec_file.write_text(text.replace(before, after))

    @property
    def deployment(self) -> Deployment:
        return Deployment(
            spec=load_spec(self.spec_file),
            spec_file=self.spec_file,
            called="dev",
            accounts=EmbeddedAccounts(self.environment),
            say=lambda _: None,
            stack=Stack(self.engine, "dev"),  # type: ignore[arg-type]
        )


@pytest.fixture
def world(spec_file: Path, local_environment: RunningEnvironment) -> World:
    world = World(spec_file, local_environment)
    for before, after in HERE.items():
        world.change(before, after)
    world.change("name: orders", "name: carts")
    world.change("stream: orders", "stream: carts")
    return world


def test_up_makes_the_stack_and_tells_its_outputs(world: World) -> None:
    assert world.deployment.up() == {"ledger_table": "firnline-dev"}
    assert world.engine.calls == ["init", "up"]


@pytest.mark.parametrize(
    ("here", "elsewhere", "error"),
    [("000000000000", "111122223333", WrongAwsAccount), ("FIRNLINE-LOCAL", "ACME-PROD", WrongSnowflakeAccount)],
)
@pytest.mark.parametrize("what", ["up", "preview", "destroy"])
def test_nothing_is_done_in_another_account(
    world: World, here: str, elsewhere: str, error: type[Exception], what: str
) -> None:
    world.change(here, elsewhere)
    world.engine.resources = []
    with pytest.raises(error, match=elsewhere):
        getattr(world.deployment, what)()
    assert world.engine.calls == []


def test_what_exists_already_is_named_all_at_once_before_anything_is_created(world: World) -> None:
    world.change("name: carts", "name: orders")
    world.change("stream: carts, database: SHOP", "stream: orders, database: FIRNLINE")
    with pytest.raises(AlreadyThere) as caught:
        world.deployment.up()
    assert len(caught.value.found) == 2
    assert world.engine.calls == []


def test_a_protected_environment_is_not_destroyed(world: World) -> None:
    world.change("durability: EPHEMERAL", "durability: PROTECTED")
    world.engine.resources = []
    with pytest.raises(DestroyRefused, match=r"stream carts, ledger firnline-dev, bucket .*, table SHOP\.RAW\.ORDERS"):
        world.deployment.destroy()
    assert world.engine.calls == []


def test_destroy_says_what_it_would_remove(world: World) -> None:
    stream = {"type": "aws:kinesis/stream:Stream", "urn": "urn:pulumi:dev::firnline::t::stream-carts", "custom": True}
    provider = {"type": "pulumi:providers:aws", "urn": "urn:pulumi:dev::firnline::t::aws", "custom": True}
    component = {"type": "firnline:index:EventStream", "urn": "urn:pulumi:dev::firnline::t::carts"}
    world.engine.resources = [provider, component, stream]
    assert world.deployment.removals() == [("aws:kinesis/stream:Stream", "stream-carts")]
    world.deployment.destroy()
    assert world.engine.calls == ["destroy"]


@pytest.mark.parametrize("what", ["outputs", "destroy"])
def test_a_stack_that_was_never_made_is_said_so(world: World, what: str) -> None:
    with pytest.raises(NotDeployed, match="firnline up dev"):
        getattr(world.deployment, what)()


def test_a_preview_before_the_first_up_reads_nothing_back(world: World) -> None:
    preview = world.deployment.preview()
    assert (preview.differs, preview.findings) == (False, [])


def test_a_preview_reads_back_what_pulumi_does_not_see(world: World) -> None:
    world.engine.resources = [{"type": "snowflake:index/execute:Execute", "urn": "u"}]
    world.engine.differs = True
    preview = world.deployment.preview(expect_no_changes=True)
    assert preview.changes
    assert [finding.property for finding in preview.findings] == ["exists"]  # nobody made the table
