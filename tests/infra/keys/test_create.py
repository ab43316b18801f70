from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.accounts.errors import AwsRefused, AwsUnreachable, WrongAwsAccount
from firnline_infra.accounts.real import RealAccounts
from firnline_infra.keys import create_key
from firnline_infra.keys.errors import (
    KeyExists,
    KeyGivenElsewhere,
    KeysDisagree,
    NoSecretHere,
    PrivateHalfMissing,
    SecretDeleted,
    SecretForeign,
    SecretUnusable,
)
from firnline_infra.keys.pair import KeyPair
from firnline_infra.keys.vault import CURRENT
from firnline_infra.specification import load_spec

from .conftest import SPEC, AwsAlone, owner_of

NAME = "firnline-dev/snowflake/ingest"


def secret_of(accounts: AwsAlone, name: str = NAME) -> Any:
    return accounts.aws("secretsmanager").describe_secret(SecretId=name)


def current(accounts: AwsAlone, name: str = NAME) -> str:
    client = accounts.aws("secretsmanager")
    text: str = client.get_secret_value(SecretId=name, VersionStage=CURRENT)["SecretString"]
    return text


def test_the_private_half_is_in_the_secret_and_the_public_half_in_the_file(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    created = create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    secret = secret_of(accounts)
    assert current(accounts) == pairs[0].private_pem
    assert secret["Description"] == "Snowflake private key of the engine, environment dev"
    assert {tag["Key"]: tag["Value"] for tag in secret["Tags"]} == {
        "owner": "platform",
        "firnline:environment": "dev",
        "firnline:application": "firnline-dev",
        "firnline:component": "secret",
    }
    assert list(secret["VersionIdsToStages"].values()) == [[CURRENT]]
    assert yaml.safe_load(spec_file.with_name("dev.keys.yaml").read_text()) == {
        "ingest": {"secret_arn": secret["ARN"], "slot_1": pairs[0].public_key, "slot_2": None}
    }
    assert (created.fingerprint, created.secret_arn, created.was_there) == (
        pairs[0].fingerprint,
        secret["ARN"],
        False,
    )


def test_the_specification_is_then_read_with_the_key_and_its_secret(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    for user, pair in zip(("ingest", "reader"), pairs, strict=False):
        create_key(owner_of(spec_file, user), accounts, make_pair=lambda pair=pair: pair)
    snowflake = load_spec(spec_file).snowflake
    assert snowflake.ingest.public_keys.slot_1 == pairs[0].public_key
    assert snowflake.ingest.secret_arn == secret_of(accounts)["ARN"]
    assert snowflake.reader.public_keys.slot_1 == pairs[1].public_key
    assert snowflake.reader.secret_arn == secret_of(accounts, "firnline-dev/snowflake/reader")["ARN"]


def test_a_second_key_is_refused_and_rotation_named(spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    with pytest.raises(KeyExists, match="firnline keys rotate dev ingest"):
        create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[1])
    assert current(accounts) == pairs[0].private_pem


def test_a_key_whose_public_half_was_lost_is_found_again_in_the_secret(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    spec_file.with_name("dev.keys.yaml").unlink()
    created = create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[1])
    assert (created.was_there, created.fingerprint) == (True, pairs[0].fingerprint)
    assert load_spec(spec_file).snowflake.ingest.public_keys.slot_1 == pairs[0].public_key
    assert current(accounts) == pairs[0].private_pem


class Crash(Exception):
    pass


class Crashing:
    """A client, or anything else, whose n-th effect is its process's last: before it, or after it."""

    def __init__(self, nth: int, *, before: bool) -> None:
        self.left, self.before = nth, before

    def effect(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0 and self.before:
                raise Crash
            answer = function(*arguments, **named)
            if self.left == 0:
                raise Crash
            return answer

        return called


EFFECTS = ("create_secret", "put_secret_value", "update_secret_version_stage")


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_run_that_is_killed_at_any_effect_is_finished_by_the_next(
    before: bool, tmp_path: Path, accounts: AwsAlone, pairs: list[KeyPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    for nth in count(1):
        spec_file = tmp_path / str(nth) / "dev.yaml"
        spec_file.parent.mkdir()
        spec_file.write_text(SPEC.replace("name: dev", f"name: dev{nth}"))
        crashing = Crashing(nth, before=before)
        crashed = False
        with monkeypatch.context() as patch:
            client = accounts.aws("secretsmanager")
            for name in EFFECTS:
                patch.setattr(client, name, crashing.effect(getattr(client, name)))
            patch.setattr(Path, "replace", crashing.effect(Path.replace))
            try:
                create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
            except Crash:
                crashed = True
        if not crashed:
            break
        try:
            created = create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[1])
            fingerprint = created.fingerprint
        except KeyExists:
            fingerprint = pairs[0].fingerprint  # the first run had done everything
        name = f"firnline-dev{nth}/snowflake/ingest"
        held = next(pair for pair in pairs if pair.private_pem == current(accounts, name))
        ingest = load_spec(spec_file).snowflake.ingest
        assert (held.fingerprint, ingest.public_keys.slot_1) == (fingerprint, held.public_key)
        assert ingest.secret_arn == secret_of(accounts, name)["ARN"]
        assert list(secret_of(accounts, name)["VersionIdsToStages"].values()) == [[CURRENT]]
        with pytest.raises(KeyExists):
            create_key(owner_of(spec_file), accounts)
    assert nth > 4  # secret, version, file, stage


def test_another_account_is_refused_before_anything_is_made(spec_file: Path, accounts: AwsAlone) -> None:
    spec_file.write_text(SPEC.replace("123456789012", "210987654321"))
    with pytest.raises(WrongAwsAccount, match="210987654321"):
        create_key(owner_of(spec_file), accounts)
    assert accounts.aws("secretsmanager").list_secrets()["SecretList"] == []
    assert not spec_file.with_name("dev.keys.yaml").exists()


def test_a_secret_of_somebody_else_is_left_alone(spec_file: Path, accounts: AwsAlone) -> None:
    accounts.aws("secretsmanager").create_secret(Name=NAME, SecretString="theirs")
    with pytest.raises(SecretForeign, match="none of our tags"):
        create_key(owner_of(spec_file), accounts)
    assert current(accounts) == "theirs"


def test_a_secret_that_was_deleted_is_named_with_the_way_back(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    accounts.aws("secretsmanager").delete_secret(SecretId=NAME)
    with pytest.raises(SecretDeleted, match="restore-secret"):
        create_key(owner_of(spec_file), accounts)


def test_a_file_whose_private_half_is_nowhere_is_not_papered_over(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    accounts.aws("secretsmanager").delete_secret(SecretId=NAME, ForceDeleteWithoutRecovery=True)
    with pytest.raises(PrivateHalfMissing, match="is it the right account"):
        create_key(owner_of(spec_file), accounts)


def test_a_key_of_an_embedded_account_that_has_ended_is_replaced(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    create_key(owner_of(spec_file, "reader"), accounts, make_pair=lambda: pairs[2])
    reader, gone = secret_of(accounts, "firnline-dev/snowflake/reader")["ARN"], secret_of(accounts)["ARN"]
    restart(accounts)
    created = create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[1])
    ingest = load_spec(spec_file).snowflake.ingest
    assert (created.was_there, created.replaced_arn, created.fingerprint) == (False, gone, pairs[1].fingerprint)
    assert (ingest.secret_arn, ingest.public_keys.slot_1) == (secret_of(accounts)["ARN"], pairs[1].public_key)
    assert ingest.secret_arn != gone
    assert current(accounts) == pairs[1].private_pem
    assert load_spec(spec_file).snowflake.reader.secret_arn == reader
    with pytest.raises(KeyExists):
        create_key(owner_of(spec_file), accounts)


def test_a_replacement_that_was_interrupted_is_finished(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    restart(accounts)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", Crashing(1, before=True).effect(Path.replace))
        with pytest.raises(Crash):
            create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[1])
    created = create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[2])
    assert (created.was_there, created.fingerprint) == (True, pairs[1].fingerprint)
    assert load_spec(spec_file).snowflake.ingest.public_keys.slot_1 == pairs[1].public_key


def test_in_a_running_embedded_account_a_key_is_as_safe_as_elsewhere(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    accounts.begin_empty = True
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    with pytest.raises(KeyExists):
        create_key(owner_of(spec_file), accounts)
    file = spec_file.with_name("dev.keys.yaml")
    file.write_text(file.read_text().replace(pairs[0].public_key, pairs[1].public_key))
    with pytest.raises(KeysDisagree):
        create_key(owner_of(spec_file), accounts)


def restart(accounts: AwsAlone) -> None:
    """Restarts as an embedded account does: nothing survives it."""
    accounts.begin_empty = True
    client = accounts.aws("secretsmanager")
    for secret in client.list_secrets()["SecretList"]:
        client.delete_secret(SecretId=secret["ARN"], ForceDeleteWithoutRecovery=True)


def test_a_file_and_a_secret_with_different_keys_are_refused(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    file = spec_file.with_name("dev.keys.yaml")
    file.write_text(file.read_text().replace(pairs[0].public_key, pairs[1].public_key))
    with pytest.raises(KeysDisagree, match="git checkout"):
        create_key(owner_of(spec_file), accounts)


def test_a_public_key_in_the_specification_itself_is_not_given_twice(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]
) -> None:
    keys = f"{{account: ACME-DEV, ingest: {{public_keys: {{slot_1: {pairs[0].public_key}}}}}}}"
    spec_file.write_text(SPEC.replace("{account: ACME-DEV}", keys))
    with pytest.raises(KeyGivenElsewhere):
        create_key(owner_of(spec_file), accounts)


def test_an_environment_whose_engine_may_read_no_secret_has_none(spec_file: Path, accounts: AwsAlone) -> None:
    spec_file.write_text(SPEC.replace('"123456789012"', '"123456789012", runtime: {trust: nobody}'))
    with pytest.raises(NoSecretHere):
        create_key(owner_of(spec_file), accounts)


def test_what_is_no_key_is_named_and_not_shown(spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair]) -> None:
    create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    accounts.aws("secretsmanager").put_secret_value(SecretId=NAME, SecretString="hunter2-hunter2")
    with pytest.raises(SecretUnusable) as caught:
        create_key(owner_of(spec_file), accounts)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_what_aws_refuses_is_named_without_the_request(
    spec_file: Path, accounts: AwsAlone, pairs: list[KeyPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    from botocore.exceptions import ClientError

    client = accounts.aws("secretsmanager")

    def denied(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "PutSecretValue")

    monkeypatch.setattr(client, "put_secret_value", denied)
    with pytest.raises(AwsRefused, match="secretsmanager:PutSecretValue") as caught:
        create_key(owner_of(spec_file), accounts, make_pair=lambda: pairs[0])
    assert pairs[0].private_pem.splitlines()[3] not in str(caught.value)


def test_credentials_that_are_not_there_are_said_before_anything_is_looked_for(
    spec_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody-has-this-one")
    with pytest.raises(AwsUnreachable, match="nobody-has-this-one"):
        create_key(owner_of(spec_file), RealAccounts(load_spec(spec_file)))
