"""Tests of what becomes of a check that fails."""

from collections.abc import Iterator

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.drift.engine import keys_of_engine
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.drift.suite import observed
from firnline_infra.environment import Environment
from firnline_infra.keys.pair import body_fingerprint, new_pair
from firnline_infra.specification import load_spec
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.keys_file import with_users
from firnline_infra.specification.snowflake import PublicKeys, ServiceUser
from firnline_ingest.checks import Check, Finding, Verdict
from firnline_ingest.config.login import KeyPlace
from tests.infra.runtimes.environments import ENVIRONMENTS

USER = "snowflake service user"


def finding(path: str) -> Finding:
    return Finding(kind=USER, name="U", path=path, expected="yes", found="nothing", rule="stack")


def check(name: str, *findings: Finding, error: Exception | None = None) -> Check:
    def run() -> Iterator[Finding]:
        yield from findings
        if error is not None:
            raise error

    return Check(name=name, rule="stack", run=run)


def seen(*checks: Check) -> tuple[list[Finding], list[Finding]]:
    found = list(observed(*checks))
    return [each for each in found if each.verdict is Verdict.WRONG], [
        each for each in found if each.verdict is Verdict.UNKNOWN
    ]


def test_a_check_that_is_refused_could_not_see_and_the_others_are_asked_all_the_same() -> None:
    refused = AwsRefused("iam:GetRole", "role r", "AccessDenied")
    found, unseen = seen(check("a", finding("x")), check("b", error=refused), check("c", finding("y")))
    assert [each.path for each in found] == ["x", "y"]
    assert [(each.name, each.next_step) for each in unseen] == [("b", refused.next_step)]


def test_an_object_that_snowflake_hides_is_gone_only_where_pulumi_misses_it() -> None:
    hidden = OutOfSight(f"{USER} U")
    _, unseen = seen(check("the stack"), check("a", error=hidden))
    assert [each.name for each in unseen] == ["a"]
    found, unseen = seen(check("the stack", finding("exists")), check("a", error=hidden))
    assert (found, unseen) == ([finding("exists")], [])


def test_what_a_check_had_found_before_it_was_refused_is_told() -> None:
    found, unseen = seen(check("a", finding("x"), error=OutOfSight(f"{USER} U")))
    assert ([each.path for each in found], len(unseen)) == (["x"], 1)


def test_whose_keys_the_engine_has_is_not_judged_where_an_owner_alone_knows_them() -> None:
    made = load_spec(ENVIRONMENTS / "dev.yaml")
    key = new_pair().public_key
    keys = ServiceUser(public_keys=PublicKeys(slot_1=key))
    assert keys_of_engine(Environment.of(with_users(made, {"ingest": keys}))) == {body_fingerprint(key)}
    adopted = ServiceUser(origin=ObjectOrigin.ADOPT, user="KAFKA_USER", private_key=KeyPlace(env="KEY"))
    assert keys_of_engine(Environment.of(with_users(made, {"ingest": adopted}))) is None
