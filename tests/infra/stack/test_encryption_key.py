"""Tests of what an `up` does about the key that encrypts: the bootstrap makes it, and the first `up` writes it down."""

import pytest

from firnline_infra.keys.errors import EncryptionKeyUnusable
from firnline_infra.specification import load_spec
from firnline_infra.specification.errors import EncryptionKeyMissing
from firnline_local.environment_key import environment_key
from firnline_local.provisioning import bootstrap
from tests.infra.stack.deployments import World

pytestmark = pytest.mark.contract


@pytest.fixture
def with_key(world: World) -> World:
    world.change("key: {origin: skip}", "key: {origin: create}")
    return world


def test_an_up_before_the_bootstrap_is_refused_and_says_who_makes_the_key(with_key: World) -> None:
    with pytest.raises(EncryptionKeyMissing, match="firnline bootstrap"):
        with_key.deployment.up()
    assert with_key.engine.calls == []
    assert isinstance(with_key.deployment.preview().refusals[0], EncryptionKeyMissing)


def test_the_first_up_writes_down_which_key_the_bootstrap_made(with_key: World) -> None:
    kms = with_key.environment.client("kms")
    bootstrap(with_key.environment, with_key.deployment.spec)
    try:
        with_key.deployment.up()
    finally:
        kms.delete_alias(AliasName="alias/firnline-dev")
    arn = load_spec(with_key.spec_file).aws.key.arn
    assert arn is not None
    assert arn.startswith("arn:aws:kms:us-east-1:000000000000:key/")
    assert arn in with_key.said[0]
    with_key.deployment.up()  # the alias is not asked for again
    assert with_key.engine.calls == ["init", "up"] * 2


def test_a_key_that_can_not_be_used_is_not_written_down(with_key: World) -> None:
    kms = with_key.environment.client("kms")
    key = str(environment_key(kms, with_key.deployment.spec))
    try:
        kms.disable_key(KeyId=key.rpartition("/")[2])
        with pytest.raises(EncryptionKeyUnusable, match="Disabled"):
            with_key.deployment.up()
    finally:
        kms.delete_alias(AliasName="alias/firnline-dev")
    assert load_spec(with_key.spec_file).aws.key.arn is None


def test_an_up_and_its_preview_are_refused_where_the_recorded_key_is_dying(with_key: World) -> None:
    kms = with_key.environment.client("kms")
    bootstrap(with_key.environment, with_key.deployment.spec)
    try:
        with_key.deployment.up()
        arn = str(load_spec(with_key.spec_file).aws.key.arn)
        kms.schedule_key_deletion(KeyId=arn.rpartition("/")[2], PendingWindowInDays=7)
        with pytest.raises(EncryptionKeyUnusable, match="PendingDeletion, gone on") as refused:
            with_key.deployment.up()
    finally:
        kms.delete_alias(AliasName="alias/firnline-dev")
    assert with_key.engine.calls == ["init", "up"]
    preview = with_key.deployment.preview()
    assert [str(each) for each in preview.refusals] == [str(refused.value)]
    assert preview.exit_status == 2
