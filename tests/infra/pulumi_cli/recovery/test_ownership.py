import pytest

from firnline_infra.pulumi_cli.recovery.ownership import why_foreign

TAGS = {"firnline:environment": "dev", "team": "a"}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"name": "orders", "tags": TAGS}, {"name": "orders", "tags": {**TAGS, "added-by": "a scanner"}}),
        ({"tags": TAGS}, {"tags": {}, "tagsAll": TAGS}),
        ({"comment": "Firnline dev"}, {"comment": "Firnline dev", "name": "x"}),
        ({"name": "alias/a", "targetKeyId": "k"}, {"name": "alias/a", "targetKeyId": "k", "arn": "…"}),
        ({"targetKeyId": "arn:aws:kms:eu-west-1:1:key/k"}, {"targetKeyId": "k"}),
        ({"userName": "LOADER"}, {"userName": '"LOADER"'}),
        ({"name": "a", "policy": '{"a": [1]}', "path": ""}, {"name": "a", "policy": '{"a":[1]}'}),
    ],
)
def test_what_carries_our_marks_or_is_what_was_wanted_is_ours(
    wanted: dict[str, object], found: dict[str, object]
) -> None:
    assert why_foreign(wanted, found) is None


@pytest.mark.parametrize(
    ("wanted", "found", "why"),
    [
        ({"tags": TAGS}, {"tags": {"team": "a"}}, "it lacks the tag firnline:environment=dev"),
        ({"tags": TAGS}, {"tags": {**TAGS, "team": "b"}}, "it lacks the tag team=a"),
        ({"tags": TAGS}, {}, "it lacks the tag firnline:environment=dev, team=a"),
        ({"comment": "Firnline dev"}, {}, "its comment is '', and not 'Firnline dev'"),
        ({"targetKeyId": "k"}, {"targetKeyId": "l"}, "its targetKeyId is 'l', and not 'k'"),
        ({"policy": '{"a": [1]}'}, {"policy": '{"a": [2]}'}, """its policy is '{"a": [2]}', and not '{"a": [1]}'"""),
    ],
)
def test_what_does_not_is_foreign_and_the_difference_is_named(
    wanted: dict[str, object], found: dict[str, object], why: str
) -> None:
    assert why_foreign(wanted, found) == why
