import pickle
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

import firnline_ingest
from firnline_ingest.commands import parser_of
from firnline_ingest.errors import EnvironmentalError, declared, did_you_mean
from firnline_ingest.snowflake.channel_errors import CountsDisagree, RowsRejected
from firnline_ingest.values import Position, ShardKey

KEY = ShardKey("orders", 1, "shardId-000000000003")
TOKEN = "5154237277929211682941755041286939970635109571364284006700000000000000000000"


@declared
class PortsTaken(EnvironmentalError):
    host: str
    ports: list[int]
    holder: str = "somebody"

    id = "FL-9999"
    message = "{host!r} has no free port: {ports} are {holder}'s"
    next_step = "end {holder}."


class OnePortTaken(PortsTaken):
    message = "{ports} of {host} is taken"


def test_an_error_that_is_declared_says_its_values_has_them_and_crosses_processes() -> None:
    error = PortsTaken("localhost", [8080, 8081])
    assert (error.what, error.next_step) == ("'localhost' has no free port: 8080, 8081 are somebody's", "end somebody.")
    again = pickle.loads(pickle.dumps(PortsTaken(host="localhost", ports=[1], holder="nginx")))
    assert (str(again), again.ports, again.holder) == (
        "[FL-9999] 'localhost' has no free port: 1 are nginx's\n  Next: end nginx.",
        [1],
        "nginx",
    )
    assert OnePortTaken("::1", [80]).what == "80 of ::1 is taken"


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((), {}),
        (("::1", [80], "nginx", 1), {}),
        (("::1", [80]), {"owner": "nginx"}),
        (("::1", [80]), {"host": "::2"}),
    ],
)
def test_what_a_declared_error_does_not_take_is_refused(args: tuple[object, ...], named: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="PortsTaken takes host, ports, holder"):
        PortsTaken(*args, **named)  # type: ignore[arg-type, call-arg] # what mypy refuses is what is tried


@declared
class FolderBlocked(EnvironmentalError):
    folder: Path
    since: datetime
    problems: Sequence[str]
    sizes: Mapping[str, int]

    id = "FL-9998"
    message = (
        "{folder.name} of {folder} is blocked since {since} ({since:%Y}), by {problems:count}: {who}; {problems:few}"
    )
    remedy = "wait."

    @property
    def who(self) -> str:
        return " and ".join(self.problems[:2])


@declared
class FolderFull(FolderBlocked):
    next_step: str

    message = "{folder} is full: {sizes}\n{sizes:list}\n{problems:lines}\n{problems:/}"


@declared
class FolderGone(FolderBlocked):
    is_mounted: bool = False
    next_step: str = "mount {folder}."


SINCE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_template_shows_each_value_in_its_form_and_words_that_the_class_computes() -> None:
    error = FolderBlocked(Path("/tmp/a"), SINCE, ["x", "y", "z", "w"], sizes={})
    assert error.what == "a of /tmp/a is blocked since 2026-01-02T03:04:05+00:00 (2026), by 4: x and y; x, y, z, …"
    assert (error.next_step, str(pickle.loads(pickle.dumps(error)))) == ("wait.", str(error))


def test_an_error_inherits_the_fields_of_another_one_and_may_take_its_next_step() -> None:
    error = FolderFull(Path("a"), SINCE, ("x", "y"), {"b": 1, "c": 2}, next_step="empty {it}.")
    assert error.what == "a is full: b: 1, c: 2\n  - b: 1\n  - c: 2\n  x\n  y\nx/y"
    assert (error.next_step, error.args) == ("empty {it}.", (error.what,))
    assert FolderGone(Path("a"), SINCE, [], {}).next_step == "mount a."
    assert FolderGone(Path("a"), SINCE, [], {}, next_step="wait.").next_step == "wait."


@pytest.mark.parametrize("name", ["what", "message", "args", "kind"])
def test_a_field_that_every_error_has_is_refused_when_the_class_is_made(name: str) -> None:
    with pytest.raises(TypeError, match=f"Odd can't have the fields {name}: every error has them"):
        declared(type("Odd", (EnvironmentalError,), {"__annotations__": {name: str}}))


@pytest.mark.parametrize("template", ["message", "next_step"])
def test_a_template_that_names_no_field_is_refused_when_the_class_is_made(template: str) -> None:
    body = {"__annotations__": {"host": str}, "message": "{host}", template: "{hosts}"}
    with pytest.raises(TypeError, match=r"Odd has no field hosts for: \{hosts\}"):
        declared(type("Odd", (EnvironmentalError,), body))


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
