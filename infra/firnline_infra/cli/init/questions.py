"""What `firnline init` has to know: each an option, or a question where there is somebody to ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from firnline_ingest.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Question:
    name: str
    """As spec/first.py calls the answer."""
    option: str
    help: str
    default: str | None = None
    """Offered where it is asked; never taken silently."""
    is_list: bool = False


QUESTIONS = (
    Question(name="name", option="--name", help="The environment's name, such as dev.", default="dev"),
    Question(name="region", option="--region", help="The AWS region, such as eu-central-1."),
    Question(name="aws_account", option="--aws-account", help="The AWS account: twelve digits."),
    Question(
        name="snowflake_account",
        option="--snowflake-account",
        help="The Snowflake account, as <organisation>-<account>.",
    ),
    Question(name="streams", option="--stream", help="A Kinesis stream to read; repeatable.", is_list=True),
    Question(name="database", option="--database", help="The Snowflake database that tables are made in."),
    Question(name="schema", option="--schema", help="The schema in it.", default="RAW"),
)


def answered(given: Mapping[str, Any], *, ask: bool) -> dict[str, Any]:
    """All of them. Raises UsageError with every option that is missing where nobody can be asked."""
    missing = [question for question in QUESTIONS if not given[question.name]]
    if missing and not ask:
        options = ", ".join(question.option for question in missing)
        raise UsageError(
            f"firnline init was not told: {options}.", next_step="give them, or run it where it can ask (a terminal)."
        )
    return {question.name: given[question.name] or _ask(question) for question in QUESTIONS}


def _ask(question: Question) -> Any:
    text = question.help.partition(";")[0].rstrip(".")
    answer = click.prompt(text, default=question.default, type=str)
    return tuple(answer.replace(",", " ").split()) if question.is_list else answer
