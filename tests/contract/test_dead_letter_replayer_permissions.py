"""`firnline dead-letters` under exactly the policy that `firnline bootstrap` writes for it, and without each of its rights."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from docs.tools.permissions.about import LETTER_REPLAYER
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.cli.dead_letters import dead_letters
from firnline_infra.render.bootstrap.dead_letter_replayer import dead_letter_replayer_statements
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_ingest.errors import FirnlineError
from firnline_ingest.permissions import Feature
from firnline_local.aws.policy import applies
from firnline_local.faults import Fault, FaultKind
from firnline_local.running import RunningEnvironment
from tests.contract.account import LOGIN, Account, EngineWithoutSpark, Statement
from tests.fakes.confluent_registry import Registry, serving
from tests.tiers import every_third

pytestmark = pytest.mark.contract
BUCKET = frozenset(
    {Feature.S3_DEAD_LETTERS, Feature.BUCKET_KEY, Feature.LEDGER_KEY, Feature.SECRET, Feature.SECRET_KEY}
)
STREAM = frozenset({Feature.STREAM_DEAD_LETTERS, Feature.LETTER_STREAM_KEY})
GLUE = frozenset({Feature.GLUE_REGISTRY})
LOGINS = frozenset({Feature.REGISTRY_LOGIN, Feature.REGISTRY_LOGIN_KEY})
RIGHTS = {
    BUCKET: {
        *(("ListLetters", "s3:ListBucket"), ("ReadLetters", "s3:GetObject"), ("KeepReplays", "s3:PutObject")),
        *(("KeyOfLetters", "kms:Decrypt"), ("KeyOfLetters", "kms:GenerateDataKey")),
        *(("SeeLedger", "dynamodb:DescribeTable"), ("SeeLedger", "dynamodb:GetItem"), ("KeyOfLedger", "kms:Decrypt")),
        *(("OpenPrivateKey", "secretsmanager:GetSecretValue"), ("KeyOfPrivateKey", "kms:Decrypt")),
    },
    STREAM: {
        *(("ReadLetterStream", f"kinesis:{each}") for each in ("ListShards", "GetShardIterator", "GetRecords")),
        ("KeyOfLetterStream", "kms:Decrypt"),
    },
    GLUE: {("ReadSchemas", "glue:GetSchemaVersion")},
    LOGINS: {("ReadRegistryLogins", "secretsmanager:GetSecretValue"), ("DecryptRegistryLogins", "kms:Decrypt")},
}
CASES = sorted((sorted(features), *right) for features, rights in RIGHTS.items() for right in rights)
"""Each right of the policies, once."""


@dataclass
class OneKey(Account):
    """With an environment's key, which is the key of all that it has."""

    keys: list[str] = field(default_factory=list)

    def key(self) -> str:
        self.keys = self.keys or [super().key()]
        return self.keys[0]


@dataclass
class Replayer:
    """Whoever brings the letters of an engine back that has run."""

    account: Account
    name: str
    spec: EnvironmentSpec
    config: Path
    record: bytes
    """What the bytes of each letter are to be."""

    @property
    def statements(self) -> list[Statement]:
        policy = policy_document(dead_letter_replayer_statements(blueprint_of(self.spec)))
        found: list[Statement] = policy["Statement"]
        return found

    def run(self, *arguments: str, **may: Any) -> Result:
        with self.account.acting_as(f"{self.name}-replayer", **may):
            return CliRunner().invoke(dead_letters, [*arguments, "--config", str(self.config)])

    def everything(self, features: frozenset[Feature], folder: Path, **may: Any) -> Iterator[Result]:
        """Yields what the page tells to do, with letters where they are kept."""
        repair = ("--with", f"repairs_of_{self.name}:repaired")
        yield self.run("list", **may)
        if features == STREAM:
            yield self.run("export", "--letters", str(folder / self.name), **may)
            return
        if features == BUCKET:
            yield self.run("export", **may)
        yield self.run("replay", *repair, "--dry-run", **may)
        if features == BUCKET:
            yield self.run("replay", *repair, **may)


Replayers = Callable[[frozenset[Feature], str], Replayer]


@pytest.fixture(scope="module")
def replayers(
    local_environment: RunningEnvironment,
    engine_of: Callable[..., EngineWithoutSpark],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Replayers]:
    folder = tmp_path_factory.mktemp("letters")
    with serving(Registry(login=LOGIN)) as registry, pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)

        @cache
        def once(features: frozenset[Feature], purpose: str) -> Replayer:
            account = OneKey(local_environment, engine_of, folder / f"{len(features)}-{purpose}", registry)
            account.folder.mkdir(exist_ok=True)
            return made(account, features, folder)

        yield once


def made(account: OneKey, features: frozenset[Feature], folder: Path) -> Replayer:
    access = account.made_for(features)
    (name,) = access.streams
    if access.letters_folder:
        access = replace(access, letters_folder=f"{name}/{access.letters_folder}")  # as in a bucket that others use too
    engine = account.engine(access)
    assert engine.run() == [None]
    config = folder / f"{name}.json"
    config.write_text(engine.config.model_dump_json(by_alias=True, exclude_none=True))
    good = account.client("kinesis")
    iterator = good.get_shard_iterator(
        StreamName=name, ShardId="shardId-000000000000", ShardIteratorType="TRIM_HORIZON"
    )
    record: bytes = good.get_records(ShardIterator=iterator["ShardIterator"])["Records"][0]["Data"]
    (folder / f"repairs_of_{name}.py").write_text(f"def repaired(data):\n    return {record!r}\n")
    return Replayer(account, name, specification(account, engine, access, features), config, record)


def specification(account: OneKey, engine: Any, access: Any, features: frozenset[Feature]) -> EnvironmentSpec:
    """Returns the specification of an environment that has what the engine works with."""
    (name,) = access.streams
    key = f"{{origin: adopt, arn: '{account.key()}'}}" if any(each.name.endswith("_KEY") for each in features) else ""
    letters = f"{name}-letters"
    own_letters = "{}" if access.bucket else f"{{stream: {letters}}}" if access.letters_stream else "{folder: /letters}"
    pipeline = engine.config.pipelines[0].model_dump_json(include={"format"}, exclude_none=True)
    return parse_spec(
        f"""
        version: 1
        name: replaying
        application: {name}
        durability: EPHEMERAL
        aws:
          region: {access.region}
          account: "{account.environment.endpoints.aws_account}"
          key: {key or "{origin: skip}"}
          bucket: {{origin: {"adopt" if access.bucket else "skip"}{f", name: {name}" if access.bucket else ""}}}
          runtime: {{trust: {"nobody" if not access.secrets else "static-keys"}}}
        snowflake: {{account: ORG-ACCOUNT{f', ingest: {{secret_arn: "{access.secrets[0]}"}}' if access.secrets else ""}}}
        ledger: {{table: {name}}}
        streams: [{{name: {name}}}, {{name: {letters}}}]
        dead_letters: {own_letters}
        pipelines: [{{stream: {name}, database: LAKE, schema: RAW, {pipeline[1:-1]}}}]
        """,
        "replaying.yaml",
    )


@pytest.mark.parametrize("features", RIGHTS, ids=lambda features: "+".join(sorted(features)))
def test_whoever_has_the_policy_may_do_all_that_the_page_tells_and_no_right_is_to_spare(
    replayers: Replayers, features: frozenset[Feature], tmp_path: Path
) -> None:
    one = replayers(features, "all")
    for done in one.everything(features, tmp_path, statements=one.statements):
        assert done.exit_code == 0, (done.output, done.exception)
    accesses = one.account.accesses_by(f"{one.name}-replayer")
    used = {
        (statement["Sid"], action)
        for statement in one.statements
        for action in statement["Action"]
        if any(each.action == action and applies(statement, action, each.resource, each.context) for each in accesses)
    }
    assert used >= RIGHTS[features]
    given = {(statement["Sid"], action) for statement in one.statements for action in statement["Action"]}
    to_spare = set() if features == BUCKET else {"SeeLedger", "KeyOfLedger"}  # which a replay asks
    assert {sid for sid, _ in given - used} <= to_spare


@pytest.mark.parametrize(
    ("features", "sid", "action"), every_third(CASES), ids=[f"{sid}-{action}" for _, sid, action in CASES]
)
def test_without_one_right_the_command_fails_and_names_it(
    replayers: Replayers, features: list[Feature], sid: str, action: str, tmp_path: Path
) -> None:
    one = replayers(
        frozenset(features), "less" if frozenset(features) == BUCKET else "all"
    )  # a replay leaves no letter
    less = [
        {**each, "Action": [one for one in each["Action"] if (each["Sid"], one) != (sid, action)]}
        for each in one.statements
    ]
    failed = next(
        done for done in one.everything(frozenset(features), tmp_path, statements=less) if done.exit_code != 0
    )
    error = failed.exception
    told = str(error) if isinstance(error, FirnlineError) else failed.output
    what, _, next_step = told.partition("Next: ")
    assert action in what
    assert action in next_step
    assert "the engine's role" not in next_step


def test_a_bucket_that_slows_down_and_loses_answers_delays_a_replay_and_doubles_nothing(
    replayers: Replayers, local_environment: RunningEnvironment
) -> None:
    """The journal's first object is made, and its answer lost: the second attempt finds it there."""
    one = replayers(BUCKET, "faults")
    repair = ("--with", f"repairs_of_{one.name}:repaired")
    slow = {"kind": FaultKind.ERROR, "status": 503, "code": "SlowDown", "times": 2}
    local_environment.set_faults(
        [Fault(endpoint="s3:GET", **slow), Fault(endpoint="s3:PUT", kind=FaultKind.LOST, times=1)]
    )
    try:
        replayed = one.run("replay", *repair, statements=one.statements)
    finally:
        local_environment.set_faults([])
    assert replayed.exit_code == 0, (replayed.output, replayed.exception)
    again = one.run("replay", *repair, statements=one.statements)
    assert "0 replayed as 0 rows; 1 replayed before." in again.output
    rows = local_environment.query(f"SELECT COUNT(*) FROM FIRNLINE.RAW.{one.name}", login="admin")[1]
    assert rows == [(3,)]


def test_every_statement_is_taken_away_somewhere() -> None:
    assert {sid for _, sid, _ in CASES} == LETTER_REPLAYER.keys()
