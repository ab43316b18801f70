from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter

from firnline_ingest.config.document import Section, parse
from firnline_ingest.config.form import Form, name_form
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.errors import ConfigError

COLOUR = Form(r"[a-f0-9]{6}", "six hexadecimal digits", "00ff00")


class Paint(Section):
    colour: Annotated[str, COLOUR] | None = None
    others: list[Annotated[str, COLOUR]] = Field(default_factory=list)


def test_a_text_of_the_form_is_taken_as_it_is() -> None:
    assert parse(Paint, {"colour": "00ff00"}, "paint.json").colour == "00ff00"
    assert parse(Paint, {"colour": None}, "paint.json").colour is None


@pytest.mark.parametrize("wrong", ["red", "00ff00\n", "x00ff00", ""])
def test_another_one_is_told_in_words_with_an_example(wrong: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(Paint, {"colour": wrong}, "paint.json")
    assert caught.value.problems == [f"colour: has to be six hexadecimal digits, for example 00ff00 (got {wrong!r})"]


def test_each_of_a_list_is_told_by_its_place() -> None:
    with pytest.raises(ConfigError, match=r"others\[1\]: has to be six hexadecimal digits"):
        parse(Paint, {"others": ["00ff00", "red"]}, "paint.json")


def test_editors_get_the_pattern_and_the_words() -> None:
    assert TypeAdapter(Annotated[str, COLOUR]).json_schema() == {
        "type": "string",
        "pattern": "^[a-f0-9]{6}$",
        "patternErrorMessage": "has to be six hexadecimal digits, for example 00ff00",
    }


def test_letters_are_those_that_services_take() -> None:
    name = name_form(2, 4, example="ab")
    assert name.check("a.-_") == "a.-_"
    for wrong in ("a", "abcde", "über", "a b"):
        with pytest.raises(ValueError, match=r"has to be 2 to 4 letters, digits and _ \. -, for example ab"):
            name.check(wrong)


@pytest.mark.parametrize(
    "wrong", ["arn:aws:kinesis:us-east-1:123456789012:stream/orders", "orders ", "", "a/b", "a" * 129]
)
def test_a_stream_is_said_by_a_name_that_it_can_have(wrong: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(PipelineConfig, {"stream": wrong, "database": "D", "schema": "R"}, "engine.json")
    assert caught.value.id == "FL-1001"
    assert caught.value.problems == [
        f"stream: has to be 1 to 128 letters, digits and _ . -, for example orders (got {wrong!r})"
    ]
