"""What is said before anything happens. The engine is stood in for: its own tier is tests/e2e."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.accounts.embedded import EmbeddedAccounts
from firnline_infra.accounts.errors import WrongAwsAccount, WrongSnowflakeAccount
from firnline_infra.deploy.deployment import Deployment
from firnline_infra.deploy.errors import AlreadyThere, DestroyRefused, NotDeployed, SecretsLost
from firnline_infra.deploy.stack import Stack
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.pulumi_cli.errors import NoSuchStack, UnexpectedChanges
from firnline_infra.spec import load_spec
from firnline_infra.spec.public_key import public_key_body

pytestmark = pytest.mark.contract
HERE = {"111122223333": "000000000000", "ACME-DEV": "FIRNLINE-LOCAL", "eu-central-1": "us-east-1"}


@dataclass
class Engine:
    """The calls that PulumiCli would have made."""

    resources: list[dict[str, Any]] | None = None
    calls: list[str] = field(default_factory=list)
    differs: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    gives: dict[str, Any] = field(default_factory=lambda: {"ledger_table": "firnline-dev"})

    def export(self, stack: str) -> dict[str, Any]:
        if self.resources is None:
            raise NoSuchStack("stack export", exit_status=6, lines=[])
        return {"deployment": {"resources": self.resources, "pending_operations": []}}

    def init(self, stack: str) -> None:
        self.resources = self.resources or []
        self.calls.append("init")

    def up(self, stack: str, *, refresh: bool) -> None:
        self.calls.append("up --refresh" if refresh else "up")

    def preview(self, stack: str, *, refresh: bool, expect_no_changes: bool) -> None:
        self.calls.append("preview")
        if self.differs:
            raise UnexpectedChanges(stack, lines=[])

    def destroy(self, stack: str) -> None:
        self.calls.append("destroy")

    def outputs(self, stack: str) -> dict[str, Any]:
        return self.gives


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


def test_up_looks_at_what_there_is_where_it_is_asked_to(world: World) -> None:
    world.deployment.up(refresh=True)
    assert world.engine.calls == ["init", "up --refresh"]


@pytest.mark.parametrize("what", ["up", "preview"])
def test_a_secret_that_is_gone_is_told_before_anything_is_created(world: World, what: str) -> None:
    secrets = world.environment.client("secretsmanager")
    name = "firnline-dev/snowflake/ingest"
    arn = secrets.create_secret(Name=name)["ARN"]
    beside = world.spec_file.with_name("dev.keys.yaml")
    beside.write_text(f"ingest: {{secret_arn: '{arn}'}}\nreader: {{secret_arn: '{arn[:-13]}reader-AbCdEf'}}\n")
    try:
        secrets.delete_secret(SecretId=name)
        with pytest.raises(SecretsLost) as caught:
            getattr(world.deployment, what)()
    finally:
        secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
    assert [f"restore-secret --secret-id {name}" in each for each in caught.value.lost] == [True, False]
    assert "reader is not there" in caught.value.lost[1]
    assert world.engine.calls == []


def test_an_engine_of_the_embedded_clouds_is_told_where_they_are(world: World) -> None:
    names = {"account": "FIRNLINE-LOCAL", "user": "U", "private_key": {"secret_arn": "arn"}}
    made = {"aws": {"region": "us-east-1", "endpoints": {}}, "snowflake": names, "spark": {"checkpoint": "s3://b/"}}
    world.engine.resources, world.engine.gives = [], {"engine_config": made}
    document, own = world.deployment.engine_config(), world.environment.engine_config()
    assert document["aws"] == own["aws"]
    assert document["snowflake"] == {**names, "url": own["snowflake"]["url"], "ca_file": own["snowflake"]["ca_file"]}
    assert document["spark"] == own["spark"]
    assert document["dead_letters"] == own["dead_letters"]


def test_an_engine_with_a_key_of_the_embedded_environment_reads_its_file(world: World) -> None:
    public = (world.environment.folder.keys / "ingest.pub.pem").read_text()
    world.spec_file.with_name("dev.keys.yaml").write_text(f"ingest: {{slot_1: {public_key_body(public)}}}\n")
    names = {"private_key": {"env": "FIRNLINE_PRIVATE_KEY"}}
    made = {"aws": {"region": "us-east-1"}, "snowflake": names, "spark": {"checkpoint": "/c"}}
    world.engine.resources, world.engine.gives = [], {"engine_config": made}
    own = world.environment.engine_config()
    assert world.deployment.engine_config()["snowflake"]["private_key"] == own["snowflake"]["private_key"]


def test_a_stack_that_was_emptied_gives_out_nothing(world: World) -> None:
    world.engine.resources, world.engine.gives = [], {}
    with pytest.raises(NotDeployed, match="or an empty one"):
        world.deployment.outputs()


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
