import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.identifiers import (
    InvalidIdentifier,
    channel_name,
    default_pipe,
    like_pattern,
    quoted,
    shown_parts,
    stored_name,
    table_name,
    written_name,
)

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=255)
STREAMS = st.from_regex(r"[a-zA-Z0-9_.-]{1,128}", fullmatch=True)
SHARDS = st.from_regex(r"[a-zA-Z0-9_.-]{1,128}", fullmatch=True)
APPLICATIONS = st.from_regex(r"[A-Za-z0-9_.-]{1,64}", fullmatch=True)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("orders", "ORDERS"),
        ("Orders_2$", "ORDERS_2$"),
        ("_x", "_X"),
        ('"My Orders"', "My Orders"),
        ('"orders"', "orders"),
        ('"say ""hi"""', 'say "hi"'),
        ('"ÄÖ"', "ÄÖ"),
        ('"' + "x" * 255 + '"', "x" * 255),
    ],
)
def test_a_name_is_stored_in_upper_case_unless_it_is_quoted(written: str, stored: str) -> None:
    assert stored_name(written) == stored


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "it is empty"),
        ('""', "nothing between its quotes"),
        ("my-orders", "have to stand between double quotes"),
        ("2orders", "have to stand between double quotes"),
        ("größe", "have to stand between double quotes"),
        ("orders\n", "have to stand between double quotes"),
        ("db.schema.orders", "one name is wanted"),
        ('"orders', "don't pair"),
        ('or"ders', "don't pair"),
        ('"a"b"', "don't pair"),
        ("x" * 256, "256 characters, 255 are allowed"),
        ('"a\0b"', "NUL"),
    ],
)
def test_a_name_that_snowflake_would_not_take_is_refused_with_its_cause(written: str, why: str) -> None:
    with pytest.raises(InvalidIdentifier, match=re.escape(why)):
        stored_name(written)


def test_the_refusal_is_a_value_error_that_pickles() -> None:
    error = InvalidIdentifier("my-orders", "it has a dash")
    assert isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@given(NAMES)
def test_every_stored_name_can_be_written_and_read_back(name: str) -> None:
    assert stored_name(quoted(name)) == name
    assert stored_name(written_name(name)) == name


@pytest.mark.parametrize(("name", "written"), [("ORDERS", "ORDERS"), ("orders", '"orders"'), ('a"b', '"a""b"')])
def test_a_name_is_quoted_only_where_it_must_be(name: str, written: str) -> None:
    assert written_name(name) == written


@pytest.mark.parametrize(
    ("stream", "table"),
    [
        ("orders", "ORDERS"),
        ("Orders_v2", "ORDERS_V2"),
        ("a", "A"),
        ("my-topic.1", "MY_TOPIC_1_373999633"),
        ("my.topic-1", "MY_TOPIC_1_2116809937"),
        ("2orders", "_2ORDERS_416740759"),
        ("-orders", "__ORDERS_274189650"),
    ],
)
def test_a_streams_table_is_its_name_or_its_sanitised_name_with_a_hash(stream: str, table: str) -> None:
    assert table_name(stream) == table


def test_the_hash_of_the_smallest_number_has_no_sign() -> None:
    """Java's abs leaves -2**31 negative, which would put a dash into the table's name."""
    assert table_name("orders-bfupvrc") == "ORDERS_BFUPVRC_2147483648"


def test_a_hash_is_over_utf_16_units() -> None:
    high, low = 0xD83D, 0xDE00
    assert table_name("😀") == f"___{31 * high + low}"


@given(STREAMS)
def test_a_table_name_is_a_plain_identifier_whatever_the_stream_is_called(stream: str) -> None:
    table = table_name(stream)
    assert re.fullmatch(r"[A-Z_][A-Z0-9_$]*", table)
    assert len(table) <= 255
    assert stored_name(table) == table


@given(st.text(min_size=1, max_size=128))
def test_text_that_no_stream_can_be_called_makes_a_table_name_too(text: str) -> None:
    assert re.fullmatch(r"[A-Z_][A-Z0-9_$]*", table_name(text))


@pytest.mark.parametrize(
    ("table", "pipe"),
    [
        ("ORDERS", "ORDERS-STREAMING"),
        ("My_T", '"My_T-STREAMING"'),
        ('a"b', '"a""b-STREAMING"'),
        ("orders", '"orders-STREAMING"'),
    ],
)
def test_the_default_pipe_is_quoted_as_its_table_is(table: str, pipe: str) -> None:
    assert default_pipe(table) == pipe


def test_a_channel_is_named_by_application_stream_incarnation_and_shard() -> None:
    name = channel_name("prod", "orders", 1_700_000_000_000, "shardId-000000000000")
    assert name == "PROD~ORDERS~1700000000000~SHARDID-000000000000"


IDENTITIES = st.tuples(APPLICATIONS, STREAMS, st.integers(min_value=0, max_value=10**14), SHARDS)


@given(IDENTITIES)
def test_a_channels_name_can_be_taken_apart_so_no_two_shards_share_one(identity: tuple[str, str, int, str]) -> None:
    application, stream, created, shard = identity
    assert channel_name(*identity).split("~") == [application.upper(), stream.upper(), str(created), shard.upper()]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("ORDERS", "'ORDERS'"),
        ("My Orders", "'My Orders'"),
        ("A_B", r"'A\\_B'"),
        ("50%", r"'50\\%'"),
        ("A\\B", r"'A\\\\B'"),
        ("A\\_B", r"'A\\\\\\_B'"),
        ("it's", "'it''s'"),
        ('say "hi"', """'say "hi"'"""),
    ],
)
def test_a_name_is_looked_for_with_every_wildcard_and_escape_taken_literally(name: str, pattern: str) -> None:
    assert like_pattern(name) == pattern


@given(NAMES)
def test_a_pattern_matches_its_name_and_no_other(name: str) -> None:
    """Read as Snowflake reads it: first the literal's escapes, then those of LIKE."""
    inside = like_pattern(name)[1:-1]
    text = re.sub(r"\\\\|''", lambda escape: escape[0][-1], inside)
    assert "'" not in re.sub(r"\\\\|''", "", inside)
    assert re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) == name
    assert not re.search(r"[%_]", re.sub(r"\\.", "", text, flags=re.DOTALL))


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        ("LAKE.RAW.ORDERS", ("LAKE", "RAW", "ORDERS")),
        ('LAKE."my.schema"."say ""hi"""', ("LAKE", "my.schema", 'say "hi"')),
        ("LAKE.raw.My table", ("LAKE", "raw", "My table")),
        ('"A"', ("A",)),
    ],
)
def test_a_name_that_show_writes_is_read_part_by_part(shown: str, parts: tuple[str, ...]) -> None:
    assert shown_parts(shown) == parts
