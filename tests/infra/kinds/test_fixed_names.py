"""Names that two environments can't both make: each kind has them, or is listed with the reason why it has none."""

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds import KINDS
from firnline_infra.kinds.fixed_names import WITHOUT, fixed_names
from firnline_infra.kinds.keys_and_secrets import KEY
from firnline_infra.kinds.observability import ALARM
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from tests.infra.kinds.test_rows import SAMPLES
from tests.infra.specifications import names_a_path, smallest


def test_each_kind_has_fixed_names_or_a_reason() -> None:
    found = {what[0] for spec in SAMPLES for what in fixed_names(blueprint_of(spec))}
    assert {kind.title for kind in KINDS if kind not in WITHOUT} - found == {"stream consumer"}, "of an adopted stream"
    made = {kind.title for kind in SNOWFLAKE_KINDS for spec in SAMPLES for _ in kind.instances(blueprint_of(spec))}
    assert {title.removesuffix(" of Snowflake").upper() for title in found if title.endswith(" of Snowflake")} == made


def test_what_up_looks_for_has_a_fixed_name() -> None:
    assert {kind for kind in WITHOUT if kind.exists is not None} == {ALARM, KEY}


def test_each_name_is_said_by_a_field_of_the_specification() -> None:
    for spec in SAMPLES:
        fields = set(fixed_names(blueprint_of(spec)).values())
        assert [each for each in fields if not names_a_path(f"{each}: x")] == []


def test_consumers_of_one_adopted_stream_are_named_in_it() -> None:
    stream = {"name": "orders", "origin": "adopt", "consumers": ["fraud"]}
    names = fixed_names(blueprint_of(smallest(streams=[stream])))
    [consumer] = [what for what in names if what[0] == "stream consumer"]
    assert consumer[-2:] == ("arn:aws:kinesis:eu-central-1:123456789012:stream/orders", "fraud")
    assert names[consumer] == "streams[0].consumers"
