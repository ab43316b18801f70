import json

import pytest

from firnline_local.providers.aws.values import block_like, document_like, like, present, set_like


def test_a_set_keeps_the_known_order_while_it_is_the_same_set() -> None:
    assert set_like(["a", "b"], ["b", "a"]) == ["b", "a"]
    assert set_like(["c", "a"], ["b", "a"]) == ["a", "c"]
    assert set_like(["b", "a"], None) == ["a", "b"]


def policy(action: object, **more: object) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, **more}]})


@pytest.mark.parametrize(
    "found",
    [
        json.dumps(json.loads(policy(["a", "b"])), indent=2),
        policy(["b", "a"]),
        json.dumps({"Statement": {"Action": ["a", "b"], "Effect": "Allow"}, "Version": "2012-10-17"}),
    ],
)
def test_a_policy_that_gives_the_same_rights_is_said_as_it_is_known(found: str) -> None:
    known = policy(["a", "b"])
    assert document_like(found, known) == known


@pytest.mark.parametrize("found", [policy(["a"]), policy(["a", "b"], Condition={}), "not json"])
def test_a_policy_that_gives_other_rights_is_said_as_it_was_found(found: str) -> None:
    assert document_like(found, policy(["a", "b"])) == found
    assert document_like(found, None) == found


def test_a_block_leaves_out_what_a_service_adds_by_itself() -> None:
    found, unsaid = {"enabled": True, "days": 35}, {"days": 35}
    assert block_like(found, {"enabled": True}, unsaid) == {"enabled": True}
    assert block_like(found, {"enabled": True, "days": 35}, unsaid) == found
    assert block_like({"enabled": True, "days": 7}, {"enabled": True}, unsaid) == {"enabled": True, "days": 7}


def test_what_differs_in_nothing_but_emptiness_is_said_as_it_is_known() -> None:
    known = [{"id": "a", "status": "Enabled"}]
    assert like([{"id": "a", "status": "Enabled", "filter": {"prefix": ""}, "is_on": False}], known) is known
    assert like([{"id": "b", "status": "Enabled"}], known) == [{"id": "b", "status": "Enabled"}]
    assert like(0, 1) == 0


def test_present_leaves_out_only_what_has_no_value() -> None:
    assert present({"a": None, "b": 0, "c": "", "d": False}) == {"b": 0, "c": "", "d": False}
