import re
from pathlib import Path

import pytest

import firnline_ingest
from firnline_ingest.commands import parser_of
from firnline_ingest.errors import did_you_mean
from firnline_ingest.snowflake.channel_errors import CountsDisagree, RowsRejected
from firnline_ingest.values import Position, ShardKey

KEY = ShardKey("orders", 1, "shardId-000000000003")
TOKEN = "5154237277929211682941755041286939970635109571364284006700000000000000000000"


@pytest.mark.parametrize(
    ("name", "valid", "hint"),
    [
        ("oders", ["returns", "orders"], "did you mean 'orders'?"),
        ("x", ["returns", "orders", "orders"], "expected one of: orders, returns."),
        ("x", [], "there is none."),
    ],
)
def test_a_name_that_is_not_valid_is_answered_with_the_nearest_or_with_all(
    name: str, valid: list[str], hint: str
) -> None:
    assert did_you_mean(name, valid) == hint


@pytest.mark.parametrize(
    "error",
    [
        RowsRejected(KEY, "DB.RAW.ORDERS", 1, up_to=TOKEN, cause="a number"),
        RowsRejected(KEY, "DB.RAW.ORDERS", 1, up_to=TOKEN, cause="a number", accept="--table ORDERS "),
        CountsDisagree(KEY, sent=1, counted=2, at=TOKEN),
    ],
)
def test_a_command_at_the_end_of_a_message_runs_as_it_stands(error: RowsRejected | CountsDisagree) -> None:
    options = parser_of("firnline").parse_args(error.next_step.rpartition("firnline ")[2].split())
    assert (options.stream, options.shard) == (KEY.stream, KEY.shard_id)
    assert options.accept_errors is None or Position.from_token(options.accept_errors)


def test_a_command_that_a_message_spells_out_names_its_configuration() -> None:
    sources = (file.read_text(encoding="utf-8") for file in Path(firnline_ingest.__file__).parent.rglob("*.py"))
    options = [option for text in sources for option in re.findall(r"firnline resume (--[a-z]+)", text)]
    assert options
    assert set(options) == {"--config"}
