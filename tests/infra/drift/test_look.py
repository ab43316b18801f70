"""What becomes of a look that fails."""

from collections.abc import Iterator

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.drift.finding import Finding, Source
from firnline_infra.drift.look import seen
from firnline_infra.drift.scene import Look

USER = "snowflake service user"


def finding(path: str) -> Finding:
    return Finding(kind=USER, name="U", path=path, expected="yes", found="nothing", source=Source.STACK)


def look(what: str, *findings: Finding, error: Exception | None = None) -> Look:
    def run() -> Iterator[Finding]:
        yield from findings
        if error is not None:
            raise error

    return Look(what=what, run=run)


def test_a_look_that_is_refused_could_not_see_and_the_others_are_asked_all_the_same() -> None:
    refused = AwsRefused("iam:GetRole", "role r", "AccessDenied")
    found, unseen = seen(look("a", finding("x")), look("b", error=refused), look("c", finding("y")))
    assert [each.path for each in found] == ["x", "y"]
    assert [(each.what, each.next_step) for each in unseen] == [("b", refused.next_step)]


def test_an_object_that_snowflake_hides_is_gone_only_where_pulumi_misses_it() -> None:
    hidden = OutOfSight(USER, "U")
    _, unseen = seen(look("the stack"), look("a", error=hidden))
    assert [each.what for each in unseen] == ["a"]
    found, unseen = seen(look("the stack", finding("exists")), look("a", error=hidden))
    assert (found, unseen) == ([finding("exists")], [])


def test_what_a_look_had_found_before_it_was_refused_is_told() -> None:
    found, unseen = seen(look("a", finding("x"), error=OutOfSight(USER, "U")))
    assert ([each.path for each in found], len(unseen)) == (["x"], 1)
