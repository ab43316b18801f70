"""Tests of what `firnline keys` calls in AWS is what its policy allows, as the embedded AWS saw it: none missing, none unused."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.environment_key import ENVIRONMENT_KEY
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Value
from firnline_infra.keys import Rotation, create_key
from firnline_infra.keys.access_key import create_access_key
from firnline_infra.keys.encryption_key import record_encryption_key
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.keys.steps import RotationStep
from firnline_infra.keys.vault import Vault
from firnline_infra.kinds.iam import USER
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.names import Names
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.aws.policy import applies, is_allowed
from firnline_local.provisioning import bootstrap
from firnline_local.running import RunningEnvironment
from tests.iam.callers import UNGUARDED
from tests.iam.request import Access

from .watched import Watched

pytestmark = pytest.mark.contract

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "durability": "EPHEMERAL",
    "aws": {"region": "us-east-1", "account": "000000000000"},
    "snowflake": {"account": "FIRNLINE-LOCAL", "warehouse": "COMPUTE_WH"},
}
KINDS = ("own key", "adopted key", "static keys")


class Keeper:
    """Whoever runs `firnline keys` in an environment of its own."""

    def __init__(self, environment: RunningEnvironment, folder: Path, kind: str) -> None:
        self.watched, self.accounts = Watched(environment), EmbeddedAccounts(environment)
        self.spec_file, self.accesses = folder / "keeper.yaml", list[Access]()
        self.spec_file.write_text(yaml.safe_dump(self._document(environment, kind)))
        bootstrap(environment, self.spec)

    @property
    def spec(self) -> EnvironmentSpec:
        return load_spec(self.spec_file)

    @property
    def statements(self) -> list[dict[str, Any]]:
        """Statements as an administrator attached them before there was anything."""
        bare = load_spec(self.spec_file.with_name("bare.yaml"))
        made = self.spec.aws.key.arn

        def resolve(value: Value) -> str:
            return str(made if value == ENVIRONMENT_KEY else value)

        policy = policy_document(key_keeper_statements(blueprint_of(bare)), resolve)
        found: list[dict[str, Any]] = policy["Statement"]
        return found

    def life(self) -> None:
        """Both first keys, a rotation with an engine that was seen to take it up, and an access key where there is one."""
        self.spec_file.with_name("bare.yaml").write_text(self.spec_file.read_text())
        file = ReviewedFile.beside(self.spec_file)
        self._watch(lambda: record_encryption_key(self.spec, file, self.accounts, environment="keeper"))
        for user in ("ingest", "reader"):
            self._watch(lambda user=user: create_key(self._subject(user), self.accounts))
        self.watched.up(self.spec)
        assert self._rotate() is RotationStep.REGISTER
        self.watched.up(self.spec)
        assert self._rotate() is RotationStep.TAKE_UP
        self._be_an_engine_with_the_new_key()
        assert self._rotate() is RotationStep.UNREGISTER
        self.watched.up(self.spec)
        assert self._rotate() is RotationStep.FORGET
        if USER.instances(blueprint_of(self.spec)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Vault, "put", _refuse)
                with pytest.raises(AwsRefused):
                    self._watch(lambda: create_access_key(self.spec, self.accounts))
            self._watch(lambda: create_access_key(self.spec, self.accounts))

    def _rotate(self) -> RotationStep:
        steps = []
        rotation = Rotation(owner=self._subject("ingest"), accounts=self.accounts)
        self._watch(lambda: steps.extend(done.step for done in rotation.advance()))
        return steps[-1]

    def _watch(self, act: Callable[[], Any]) -> None:
        self.watched.accesses()
        try:
            act()
        finally:
            self.accesses += self.watched.accesses()

    def _subject(self, user: str) -> KeyOwner:
        return KeyOwner.of(self.spec, self.spec_file, user)

    def _be_an_engine_with_the_new_key(self) -> None:
        ledger = DynamoLedger(self.accounts.aws("dynamodb"), Names.of(self.spec).ledger_table)
        ledger.begin_run(Run("one", "elsewhere"), None)
        vault = Vault(self.accounts.aws("secretsmanager"), self._subject("ingest").secret)
        found = vault.look()
        assert found is not None
        current = vault.pair(found, "AWSCURRENT")
        ledger.show_fingerprints("one", (current.fingerprint,))

    @staticmethod
    def _document(environment: RunningEnvironment, kind: str) -> dict[str, Any]:
        name = f"keeper-{kind.replace(' ', '-')}"
        aws = dict(DOCUMENT["aws"])
        if kind == "adopted key":
            aws["key"] = {"origin": "adopt", "arn": environment.client("kms").create_key()["KeyMetadata"]["Arn"]}
        if kind == "static keys":
            aws |= {"key": {"origin": "skip"}, "runtime": {"trust": "static-keys"}}
        pipeline = {"stream": name, "database": name.upper().replace("-", "_"), "schema": "RAW"}
        return {**DOCUMENT, "name": name, "aws": aws, "streams": [{"name": name, "shards": 1}], "pipelines": [pipeline]}


def _refuse(vault: Vault, *_: Any, **__: Any) -> None:
    raise AwsRefused("secretsmanager:PutSecretValue", vault.definition.name, "no")


@pytest.fixture(scope="module")
def keeper(
    local_environment: RunningEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Keeper]]:
    """One that has done everything."""

    @cache
    def once(kind: str) -> Keeper:
        found = Keeper(local_environment, tmp_path_factory.mktemp("keeper"), kind)
        try:
            found.life()
        finally:
            found.watched.application.destroy()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(local_environment.endpoints.ca_file))
        yield once


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_keeps_the_keys_may_all_that_the_commands_ask_for(keeper: Callable[[str], Keeper], kind: str) -> None:
    one = keeper(kind)
    refused = {
        f"{access.action} on {access.resource} where {dict(access.context)}"
        for access in one.accesses
        if access.action not in UNGUARDED
        and not is_allowed(one.statements, access.action, access.resource, access.context)
    }
    assert refused == set()


@pytest.mark.parametrize("kind", KINDS)
def test_and_nothing_that_they_do_not_ask_for(keeper: Callable[[str], Keeper], kind: str) -> None:
    one = keeper(kind)
    unused = {
        (statement["Sid"], action)
        for statement in one.statements
        for action in statement["Action"]
        if not any(
            access.action == action and applies(statement, action, access.resource, access.context)
            for access in one.accesses
        )
    }
    assert unused == set()


def test_the_policy_of_one_environment_opens_no_secret_of_another(keeper: Callable[[str], Keeper]) -> None:
    one, other = keeper("own key"), keeper("adopted key")
    about_secrets = [access for access in other.accesses if access.action.startswith("secretsmanager:")]
    assert about_secrets
    assert not [
        access for access in about_secrets if is_allowed(one.statements, access.action, access.resource, access.context)
    ]
