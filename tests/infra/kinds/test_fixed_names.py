"""Names that two environments can't both make: each kind has them, or is listed with the reason why it has none."""

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds import KINDS
from firnline_infra.kinds.fixed_names import TABLES, WITHOUT, fixed_names
from firnline_infra.kinds.keys_and_secrets import KEY
from firnline_infra.kinds.observability import ALARM
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from tests.infra.kinds.test_rows import SAMPLES
from tests.infra.specifications import names_a_path, one_pipeline, smallest


def test_each_kind_has_fixed_names_or_a_reason() -> None:
    found = {what[0] for spec in SAMPLES for what in fixed_names(blueprint_of(spec))}
    assert {kind.title for kind in KINDS if kind not in WITHOUT} <= found
    made = {
        TABLES.get(kind.title.lower(), kind.title.lower())
        for kind in SNOWFLAKE_KINDS
        for spec in SAMPLES
        for _ in kind.instances(blueprint_of(spec))
    }
    assert {title.removesuffix(" of Snowflake") for title in found if title.endswith(" of Snowflake")} == made


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


def test_a_consumer_is_one_whether_its_stream_is_made_or_adopted() -> None:
    made, adopted = (
        {what for what in fixed_names(blueprint_of(smallest(streams=[stream]))) if what[0] == "stream consumer"}
        for stream in (
            {"name": "orders", "consumers": ["fraud"]},
            {"name": "orders", "origin": "adopt", "consumers": ["fraud"]},
        )
    )
    assert made == adopted != set()


def test_a_table_of_latest_rows_has_a_name_among_the_tables() -> None:
    latest = one_pipeline(table="T", columns=[{"name": "ID", "type": "VARCHAR"}], latest_by=["ID"])
    names = [
        {what for what in fixed_names(blueprint_of(smallest(**pipeline))) if what[0] == "table of Snowflake"}
        for pipeline in (latest, one_pipeline(table="T_LATEST"))
    ]
    assert {what[-1] for what in names[0] & names[1]} == {"LAKE.RAW.T_LATEST"}


def test_the_way_for_files_is_said_by_the_option_that_makes_it() -> None:
    names = fixed_names(blueprint_of(smallest(**one_pipeline(table="T", file_replay=True))))
    found = {what[0]: field for what, field in names.items() if what[-1].endswith("T_DEAD_LETTERS")}
    assert found == dict.fromkeys(("stage of Snowflake", "pipe of Snowflake"), "pipelines[0].file_replay")
