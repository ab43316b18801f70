"""Tests of what is said before anything happens. The engine is stood in for: its own tier is tests/e2e."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.accounts.errors import WrongAwsAccount, WrongSnowflakeAccount
from firnline_infra.observe.errors import AlreadyThere, OwnerOutOfReach
from firnline_infra.specification import load_spec
from firnline_infra.specification.errors import KeysMissing
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.stack.deployment import Deployment
from firnline_infra.stack.errors import DestroyRefused, NotDeployed, OtherTool, SecretsLost
from firnline_infra.stack.stack import Stack
from firnline_infra.terraform.module import state_key
from firnline_local.accounts import EmbeddedAccounts
from tests.infra.runtimes.environments import spec_of
from tests.infra.stack.deployments import World

pytestmark = pytest.mark.contract
STREAM = {"type": "aws:kinesis/stream:Stream", "urn": "urn:pulumi:dev::firnline::t::stream-carts", "custom": True}
INGEST_SECRET = "firnline-dev/snowflake/ingest"


@pytest.fixture
def secret(world: World) -> Iterator[str]:
    """The ARN of the engine's."""
    secrets = world.environment.client("secretsmanager")
    arn = secrets.create_secret(Name=INGEST_SECRET)["ARN"]
    yield arn
    secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


def test_up_makes_the_stack_and_tells_its_outputs(world: World) -> None:
    assert world.deployment.up() == {"ledger_table": "firnline-dev"}
    assert world.engine.calls == ["init", "up"]


def test_up_looks_at_what_there_is_where_it_is_asked_to(world: World) -> None:
    world.deployment.up(refresh=True)
    assert world.engine.calls == ["init", "up --refresh"]


def test_what_terraforms_state_holds_is_not_changed_by_pulumi(world: World) -> None:
    spec, s3 = load_spec(world.spec_file), world.environment.client("s3")
    place = {"Bucket": bootstrap_names(spec).state_bucket, "Key": state_key(spec)}
    s3.create_bucket(Bucket=place["Bucket"])
    s3.put_object(**place, Body=b'{"version": 4, "resources": [{"mode": "managed", "instances": [{}]}]}')
    assert [type(each) for each in world.deployment.preview().refusals] == [OtherTool]
    with pytest.raises(OtherTool, match="dev is Terraform's, and Pulumi was to change it"):
        world.deployment.up()
    assert "up" not in world.engine.calls
    s3.delete_object(**place)
    s3.delete_bucket(Bucket=place["Bucket"])


@pytest.mark.parametrize("what", ["up", "preview"])
def test_a_secret_that_is_gone_is_told_before_anything_is_created(world: World, secret: str, what: str) -> None:
    world.keys(ingest=secret, reader=f"{secret[:-13]}reader-AbCdEf")
    world.environment.client("secretsmanager").delete_secret(SecretId=secret)
    with pytest.raises(SecretsLost) as caught:
        getattr(world.deployment, what)()
    waiting, gone = caught.value.lost
    assert f"restore-secret --secret-id {INGEST_SECRET}" in waiting
    assert f"take reader out of {world.keys_file}, then firnline keys create dev reader" in gone
    assert world.engine.calls == []


def test_keys_that_went_with_a_destroy_are_taken_out_of_their_file(world: World, secret: str) -> None:
    secrets = world.environment.client("secretsmanager")
    reader = secrets.create_secret(Name="firnline-dev/snowflake/reader")["ARN"]
    world.keys(ingest=secret, reader=reader)
    world.engine.resources = [STREAM]
    world.engine.at_destroy = lambda: secrets.delete_secret(SecretId=secret, ForceDeleteWithoutRecovery=True)
    try:
        world.deployment.destroy()
    finally:
        secrets.delete_secret(SecretId=reader, ForceDeleteWithoutRecovery=True)
    assert load_spec(world.spec_file).snowflake.ingest.secret_arn is None
    assert load_spec(world.spec_file).snowflake.reader.secret_arn == reader
    assert world.said[-1] == "Before another `up`: firnline keys create dev ingest"


def test_an_up_without_keys_is_refused_and_names_the_command(world: World) -> None:
    world.keys_file.unlink()
    with pytest.raises(KeysMissing, match="firnline keys create dev ingest; firnline keys create dev reader"):
        world.deployment.up()
    assert world.engine.calls == []


def test_a_preview_without_keys_tells_what_would_be_made_and_why_it_will_not_be_yet(world: World) -> None:
    world.keys_file.unlink()
    preview = world.deployment.preview()
    assert world.engine.calls == ["init", "preview"]
    assert "firnline keys create dev ingest" in str(preview.refusals[0])


def test_a_preview_with_keys_misses_nothing(world: World) -> None:
    assert world.deployment.preview().refusals == ()


def test_outputs_and_destroy_need_no_keys(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.keys_file.unlink()
    world.engine.resources = [STREAM]
    stack = Stack(world.engine, "dev")
    monkeypatch.setattr("firnline_infra.stack.deployment.stack_of", lambda *_, **__: stack)
    deployment = Deployment.of(world.spec_file, "dev", EmbeddedAccounts(world.environment), world.said.append)
    assert deployment.outputs() == {"ledger_table": "firnline-dev"}
    deployment.destroy()
    assert world.engine.calls == ["destroy"]


def test_an_engine_of_the_embedded_clouds_is_told_where_they_are(world: World) -> None:
    names = {"account": "FIRNLINE-LOCAL", "user": "U", "private_key": {"secret_arn": "arn"}}
    made = {"aws": {"region": "us-east-1", "endpoints": {}}, "snowflake": names, "spark": {"checkpoint": "/c"}}
    world.engine.resources, world.engine.gives = [], {"engine_config": made}
    world.keys_file.unlink()
    document, own = world.deployment.engine_config(), world.environment.engine_config()
    assert document["aws"] == own["aws"]
    assert document["snowflake"] == {**names, "url": own["snowflake"]["url"], "ca_file": own["snowflake"]["ca_file"]}
    assert document["spark"] == own["spark"]
    assert document["dead_letters"] == own["dead_letters"]


def test_a_job_of_an_embedded_runtime_runs_beside_its_bucket_and_every_command_is_given_its_document(
    world: World,
) -> None:
    """The job's dead letters and its checkpoint are where the stack has them; those of this machine are for an engine by hand."""
    names = {"account": "FIRNLINE-LOCAL", "user": "U", "private_key": {"secret_arn": "arn"}}
    of_stack = {"dead_letters": {"s3": "s3://b/letters/"}, "spark": {"checkpoint": "s3://b/"}}
    made = {"aws": {"region": "us-east-1", "endpoints": {}}, "snowflake": names, **of_stack}
    deployed = replace(world.deployment, spec=spec_of("dev", "emr_serverless"))
    world.engine.resources, world.engine.gives = [], {"engine_config": made}
    document, own = deployed.engine_config(), world.environment.engine_config()
    assert {name: document[name] for name in of_stack} == of_stack
    assert document["aws"] == own["aws"]


def test_an_engine_with_a_key_of_the_embedded_environment_reads_its_file(world: World) -> None:
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
    assert caught.value.found == [
        "stream orders",
        "database FIRNLINE in Snowflake",
        "schema FIRNLINE.RAW in Snowflake",
        "table FIRNLINE.RAW.ORDERS in Snowflake",
    ]
    assert world.engine.calls == []
    assert [str(refusal) for refusal in world.deployment.preview().refusals] == [str(caught.value)]


def test_a_protected_environment_is_not_destroyed(world: World) -> None:
    world.change("durability: EPHEMERAL", "durability: PROTECTED")
    world.engine.resources = []
    with pytest.raises(DestroyRefused, match=r"stream carts, ledger firnline-dev, bucket .*, table SHOP\.RAW\.ORDERS"):
        world.deployment.destroy()
    assert world.engine.calls == []


def test_destroy_says_what_it_would_remove(world: World) -> None:
    provider = {"type": "pulumi:providers:aws", "urn": "urn:pulumi:dev::firnline::t::aws", "custom": True}
    component = {"type": "firnline:index:EventStream", "urn": "urn:pulumi:dev::firnline::t::carts"}
    world.engine.resources = [provider, component, STREAM]
    assert world.deployment.removals() == [("aws:kinesis/stream:Stream", "stream-carts")]
    world.deployment.destroy()
    assert world.engine.calls == ["destroy"]


@pytest.mark.parametrize("what", ["outputs", "destroy"])
def test_a_stack_that_was_never_made_is_said_so(world: World, what: str) -> None:
    with pytest.raises(NotDeployed, match="firnline up dev"):
        getattr(world.deployment, what)()


def test_a_stack_without_anything_in_it_has_nothing_to_destroy(world: World) -> None:
    world.engine.resources = []
    with pytest.raises(NotDeployed, match="or an empty one"):
        world.deployment.destroy()
    assert world.engine.calls == []


@pytest.mark.parametrize("what", ["up", "preview", "destroy"])
def test_a_table_that_the_deployer_no_longer_reaches_is_told_before_pulumi_takes_it_for_gone(
    world: World, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.engine.resources = [STREAM]

    def out_of_reach(_session: object, state: Any) -> None:
        assert state["deployment"]["resources"] == [STREAM]
        raise OwnerOutOfReach("T", owner=Identifier("ENGINE"), deployer=Identifier("DEPLOY"))

    for module in ("sight", "removable"):
        monkeypatch.setattr(f"firnline_infra.observe.{module}.check_ownership", out_of_reach)
    with pytest.raises(OwnerOutOfReach):
        getattr(world.deployment, what)()
    assert world.engine.calls == []


def test_a_preview_before_the_first_up_reads_nothing_back(world: World) -> None:
    preview = world.deployment.preview()
    assert (preview.exit_status, preview.findings) == (0, [])


def test_a_preview_lists_the_views_of_redshift_that_an_up_will_make(world: World) -> None:
    text = world.spec_file.read_text()
    world.spec_file.write_text(f"{text}\nredshift: {{workgroup: {{}}, views: [{{stream: carts}}]}}\n")
    preview = world.deployment.preview(expect_no_changes=True)
    assert (preview.changes, preview.findings) == (True, [])
    assert world.said[-2:] == [
        "Redshift, by firnline up: schema kinesis stands for the streams.",
        "Redshift, by firnline up: view public.carts reads stream carts.",
    ]


def test_a_preview_reads_back_what_pulumi_does_not_see(world: World) -> None:
    world.engine.resources = [{"type": "snowflake:index/execute:Execute", "urn": "u"}]
    world.engine.differs = True
    preview = world.deployment.preview(expect_no_changes=True)
    assert preview.changes
    assert [finding.path for finding in preview.findings] == ["exists"]  # nobody made the table
