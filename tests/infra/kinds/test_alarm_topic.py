"""Tests of `alarms.notify`: the environment's own topic, whom it notifies, and who may publish to it."""

import json
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam.length import policy_length
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Subject
from firnline_infra.kinds.observability import ALARM, SUBSCRIPTION, TOPIC, metric_alarms
from firnline_infra.kinds.resource import Resource
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.terraform.module import module_files
from firnline_ingest.errors import ConfigError

NAME = "shop-eu-969d2014-alarms"
ARN = f"arn:aws:sns:eu-central-1:123456789012:{NAME}"
OF_ALARMS = "arn:aws:cloudwatch:eu-central-1:123456789012:alarm"
ON_CALL = "arn:aws:sns:eu-central-1:123456789012:on-call"
FIVE = [f"{ON_CALL}-{each}" for each in range(5)]
MAIL, HOOK = "on-call@example.com", "https://hooks.example.com/integration/0123456789/enqueue"


def spec_of(alarms: str, streams: tuple[str, ...] = ("orders",)) -> EnvironmentSpec:
    return parse_spec(
        f"""
        version: 1
        name: prod
        application: shop.eu
        aws: {{region: eu-central-1, account: "123456789012"}}
        snowflake: {{account: ORG-ACCOUNT}}
        streams: {[{"name": each} for each in streams]}
        pipelines: {[{"stream": each, "database": "lake", "schema": "raw"} for each in streams]}
        alarms: {alarms}
        """,
        "prod.yaml",
    )


NOTIFIES = spec_of(f"{{notify: [{MAIL}, '{HOOK}']}}")


def many(streams: int) -> EnvironmentSpec:
    return spec_of(f"{{notify: [{MAIL}]}}", tuple(f"orders{each}" for each in range(streams)))


def rows(spec: EnvironmentSpec) -> list[Resource]:
    return [row for made in metric_alarms(Environment.of(spec)) for row in made.resources()]


def of(type_: str, spec: EnvironmentSpec = NOTIFIES) -> list[Resource]:
    return [row for row in rows(spec) if row.type == type_]


def test_each_alarm_notifies_the_topic_beside_those_of_others() -> None:
    (topic,) = of("aws_sns_topic")
    assert {str(each.arguments["alarm_actions"]) for each in of("aws_cloudwatch_metric_alarm")} == {str([topic["arn"]])}
    both = spec_of(f"{{topics: ['{ON_CALL}'], notify: [{MAIL}]}}")
    for alarm in of("aws_cloudwatch_metric_alarm", both):
        assert alarm.arguments["alarm_actions"][0] == ON_CALL
        assert [each.path for each in alarm.arguments["alarm_actions"][1:]] == ["arn"]
    assert not of("aws_sns_topic", spec_of(f"{{topics: ['{ON_CALL}']}}"))
    assert not rows(spec_of("{}"))


def test_whom_it_notifies_and_by_which_protocol() -> None:
    assert [(each.arguments["protocol"], each.arguments["endpoint"]) for each in of("aws_sns_topic_subscription")] == [
        ("email", MAIL),
        ("https", HOOK),
    ]


def test_the_key_in_a_url_is_in_no_name_and_the_order_of_the_list_changes_no_name() -> None:
    names = {each.name for each in of("aws_sns_topic_subscription")}
    assert not [name for name in names if "hooks" in name or "0123456789" in name]
    turned = of("aws_sns_topic_subscription", spec_of(f"{{notify: ['{HOOK}', {MAIL}]}}"))
    assert {each.name for each in turned} == names


def test_only_alarms_of_the_environment_publish() -> None:
    (topic,) = of("aws_sns_topic")
    assert topic.arguments["name"] == NAME  # a topic's name has no dot, and `shop-eu` may be another application
    (statement,) = topic.arguments["policy"].statements
    names = [ALARM.name(each) for each in ALARM.instances(blueprint_of(NOTIFIES))]
    assert (statement.actions, statement.resources) == (("sns:Publish",), (ARN,))
    assert statement.principals == {"Service": "cloudwatch.amazonaws.com"}
    assert statement.conditions == {
        "StringEquals": {"aws:SourceAccount": "123456789012"},
        "ArnLike": {"aws:SourceArn": tuple(f"{OF_ALARMS}:{name}" for name in names)},
    }
    assert names
    assert not [each for each in names if "*" in each or "?" in each], "an alarm of shop.eu-2 is none of shop.eu's"


def test_alarms_that_are_too_many_for_a_policy_publish_by_what_their_names_begin_with() -> None:
    """SNS takes a policy of 30 KB."""
    for streams, is_listed in ((30, True), (300, False)):
        (topic,) = of("aws_sns_topic", many(streams))
        (statement,) = topic.arguments["policy"].statements
        sources = statement.conditions["ArnLike"]["aws:SourceArn"]
        assert isinstance(sources, tuple) is is_listed
        assert is_listed or sources == f"{OF_ALARMS}:shop.eu-*"
        assert policy_length((statement,)) < 30_000


def test_terraform_makes_the_topic_before_the_alarms_and_the_subscriptions() -> None:
    made = json.loads(module_files(NOTIFIES)["main.tf.json"])["resource"]
    topic = "${aws_sns_topic.alarms-notify-topic.arn}"
    assert {each["topic_arn"] for each in made["aws_sns_topic_subscription"].values()} == {topic}
    assert all(each["alarm_actions"] == [topic] for each in made["aws_cloudwatch_metric_alarm"].values())


def test_the_deployer_may_touch_this_topic_and_no_other() -> None:
    blueprint = blueprint_of(NOTIFIES)
    assert TOPIC.own_arns(blueprint, None) == (ARN,)  # type: ignore[arg-type] # a row names its own
    assert SUBSCRIPTION.own_arns(blueprint, None) == (ARN,)  # type: ignore[arg-type] # a row names its own


@pytest.mark.parametrize(
    ("alarms", "words"),
    [
        (f"{{notify: [{MAIL}, {MAIL}]}}", "must be given once"),
        (f"{{notify: [{MAIL}], topics: {FIVE}}}", "must be fewer"),
        ("{notify: [on-call]}", "an e-mail address, or an https:// URL"),
        ("{notify: ['http://hooks.example.com/x']}", "an e-mail address, or an https:// URL"),
    ],
)
def test_what_can_not_be_notified_is_refused(alarms: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        spec_of(alarms)
    assert words in str(caught.value)


class Sns:
    """Answers with these subscriptions: protocol, endpoint, ARN."""

    def __init__(self, *found: tuple[str, str, str]) -> None:
        self._found = found

    def get_paginator(self, operation: str) -> "Sns":
        assert operation == "list_subscriptions_by_topic"
        return self

    def paginate(self, **asked: str) -> list[dict[str, Any]]:
        assert asked == {"TopicArn": ARN}
        keys = ("Protocol", "Endpoint", "SubscriptionArn")
        return [{"Subscriptions": [dict(zip(keys, each, strict=True))]} for each in self._found]


def test_who_subscribed_by_hand_is_drift_and_so_is_who_has_not_confirmed() -> None:
    (topic,) = of("aws_sns_topic")
    sns = Sns(
        ("email", MAIL, "PendingConfirmation"), ("https", HOOK, f"{ARN}:1"), ("sqs", "arn:aws:sqs:::q", f"{ARN}:2")
    )
    subject = Subject(wanted=topic, blueprint=blueprint_of(NOTIFIES), clients=lambda _: sns, rows=lambda _: [])
    (comparison,) = TOPIC.comparisons
    assert [(each.path, each.expected, each.found) for each in comparison.find(subject)] == [
        (f"subscription email {MAIL}", "confirmed", "pending confirmation"),
        ("subscription sqs arn:aws:sqs:::q", "nothing", "notified of each alarm"),
    ]


@pytest.mark.parametrize(
    ("notify", "listed", "expected"),
    [
        ("https://u:hunter2@h.example/x", ("https", "https://u:****@h.example/x", f"{ARN}:1"), []),
        (MAIL, ("email", "old@example.com", "Deleted"), []),
        (MAIL, ("email", "old@example.com", "PendingConfirmation"), [("email old@example.com", "can't be removed")]),
        (MAIL, ("https", "https://u:p@h.example/k/0123", f"{ARN}:1"), [("https https://h.example/…", f"{ARN}:1")]),
    ],
)
def test_what_sns_lists_otherwise_than_it_is_named(
    notify: str, listed: tuple[str, str, str], expected: list[tuple[str, str]]
) -> None:
    """A password is asterisks, a subscription that ended is listed for a while, one without an ARN can't be ended."""
    spec = spec_of(f"{{notify: ['{notify}']}}")
    (topic,) = of("aws_sns_topic", spec)
    subject = Subject(wanted=topic, blueprint=blueprint_of(spec), clients=lambda _: Sns(listed), rows=lambda _: [])
    (comparison,) = TOPIC.comparisons
    found = list(comparison.find(subject))
    assert [each.path for each in found] == [f"subscription {path}" for path, _ in expected]
    assert all(words in str(each.next_step) for each, (_, words) in zip(found, expected, strict=True))
