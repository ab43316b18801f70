"""A statement of a story that an account refuses, because no page has its form, is the answer, and no end of the run."""

from collections.abc import Sequence
from typing import Any

import pytest
from snowflake.connector.errors import ProgrammingError

from tests.live.questions.rest import Client
from tests.live.questions.streaming_stories import Place, interactive


@pytest.mark.parametrize("verb", ["CREATE", "GRANT"])
def test_a_refused_interactive_table_or_grant_on_it_is_the_answer(verb: str) -> None:
    done: list[str] = []

    def execute(statement: str) -> None:
        if statement.startswith((verb, "CREATE PIPE")):
            raise ProgrammingError("Invalid privilege", errno=2028, sqlstate="42601")
        done.append(statement.partition(" ")[0])

    def query(_statement: str) -> Sequence[Sequence[Any]]:
        raise AssertionError

    def client_of(_table: str) -> Client:
        raise AssertionError("nothing is opened on a table that is not there, or not granted")

    place = Place(client_of=client_of, schema="D.S", role="R", user="U", execute=execute, query=query)
    answers = dict(interactive(place))
    assert [each["refused"] for each in answers.values()] == [verb, "CREATE"]
    assert answers["changes: a pipe without a SELECT for an interactive table"]["code"] == 2028
    assert done == (["CREATE"] if verb == "GRANT" else [])
