from typing import Any

import pytest

from tests.infra.specifications import one_pipeline, pipeline, problems, told

ROLE = "arn:aws:iam::222233334444:role/firnline-orders"
THEIRS = "arn:aws:kinesis:us-east-1:222233334444:stream/orders"
PARTNER = {"name": "orders", "origin": "adopt", "arn": THEIRS, "role_arn": ROLE}


def test_a_stream_of_another_account_is_read_with_a_role_of_it() -> None:
    key = "arn:aws:kms:us-east-1:222233334444:key/1"
    assert problems(streams=[{**PARTNER, "external_id": "firnline-4f1c", "key_arn": key}]) == []
    ours = {"name": "orders", "origin": "adopt", "arn": THEIRS.replace("222233334444", "123456789012")}
    assert problems(streams=[ours]) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"role_arn": "arn:aws:iam::333344445555:role/r"}, "streams[0].role_arn: is of account 333344445555"),
        ({"arn": THEIRS.replace("orders", "other")}, "streams[0].arn: is of stream other; expected orders"),
        ({"arn": THEIRS.replace("arn:aws:", "arn:aws-cn:")}, "streams[0].arn: is of partition aws-cn"),
        ({"consumers": ["fraud"]}, "streams[0].consumers: are registered by the deployer"),
        ({"shards": 4}, "streams[0]: origin: adopt leaves the stream as it is; remove shards"),
        ({"origin": "create"}, "streams[0]: arn, role_arn: belongs to origin: adopt"),
        ({"access": {"roles": [{"arn": ROLE}]}}, "streams[0]: give role_arn, or access with all its roles"),
        (
            {"role_arn": None, "access": {"roles": [{"arn": ROLE}, {"arn": "arn:aws:iam::333344445555:role/r"}]}},
            "streams[0].access.roles: is of account 333344445555; the stream is in 222233334444",
        ),
        (
            {"role_arn": None, "access": {"roles": [{"arn": ROLE}]}, "consumers": ["fraud"]},
            "streams[0].consumers: are registered by the deployer",
        ),
    ],
)
def test_what_can_not_be_is_told(changes: dict[str, Any], expected: str) -> None:
    stream = {name: value for name, value in {**PARTNER, **changes}.items() if value is not None}
    assert problems(streams=[stream]) == told(f"{expected}…")


@pytest.mark.parametrize("role", ["deploy-firnline-dev", "preview-firnline-dev", "firnline-dev-engine"])
def test_the_environments_own_roles_open_no_stream(role: str) -> None:
    stream = {"name": "orders", "origin": "adopt", "role_arn": f"arn:aws:iam::123456789012:role/{role}"}
    assert problems(streams=[stream]) == told("…is a role of this environment's own…")


def test_an_external_id_is_said_to_a_role() -> None:
    stream = {"name": "orders", "origin": "adopt", "external_id": "abc"}
    assert problems(streams=[stream]) == told("streams[0].external_id: is said when a role is assumed…")


def test_letters_stay_where_the_engine_is_and_somebody_has_to_assume_a_role() -> None:
    letters = {**PARTNER, "name": "letters", "arn": THEIRS.replace("orders", "letters")}
    assert problems(streams=[{"name": "orders"}, letters], dead_letters={"stream": "letters"}) == told(
        "dead_letters.stream: letters (streams[1]) is elsewhere…"
    )
    assert problems(streams=[PARTNER], aws={"runtime": {"trust": "nobody"}}) == told("…its owner can't trust anybody…")


def test_a_stream_of_another_account_is_read_by_its_arn_where_no_role_opens_it() -> None:
    stream = {name: value for name, value in PARTNER.items() if name != "role_arn"}
    assert problems(streams=[stream]) == []
    assert problems(streams=[stream], aws={"runtime": {"trust": "nobody"}}) == told(
        "streams[0].arn: with trust: nobody nobody knows who would read it…"
    )
    assert problems(streams=[{**stream, "external_id": "abc"}]) == told("streams[0].external_id: is said when a role…")


def test_a_role_has_one_external_id() -> None:
    other = {**PARTNER, "name": "clicks", "arn": THEIRS.replace("orders", "clicks")}
    pipelines = [pipeline("orders"), pipeline("clicks")]
    assert problems(streams=[PARTNER, other], pipelines=pipelines) == []
    assert problems(streams=[PARTNER, {**other, "external_id": "abc"}], pipelines=pipelines) == told(
        "streams[1].external_id: streams[0] has another one for the same role…"
    )


def test_a_stream_elsewhere_is_polled() -> None:
    found = problems(streams=[PARTNER], **one_pipeline(reader={"fan_out": {"registration": "lazy"}}))
    assert any(each.startswith("pipelines[0].reader: orders is elsewhere") for each in found), found
