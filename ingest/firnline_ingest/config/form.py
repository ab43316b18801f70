"""The form that a text has to have: a pattern for programs, words and an example for people.

The error, the JSON Schema and the reference all take it from here, so that users do not have to read a regular expression.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

IN_WORDS = "patternErrorMessage"
"""The key of a JSON Schema that editors show in place of the pattern (yaml-language-server, VS Code)."""


@dataclass(frozen=True, slots=True)
class Form:
    """Goes into the annotation of a text: `Annotated[str, Form(r"\\d{12}", "twelve digits", "123456789012")]`."""

    pattern: str
    """Of the whole text; letters, digits and spaces are those of ASCII."""
    words: str
    """Ends the sentence "it has to be"."""
    example: str

    @property
    def words_and_example(self) -> str:
        return f"{self.words}, for example {self.example}"

    def check(self, text: str) -> str:
        """The text. Raises ValueError."""
        if re.fullmatch(self.pattern, text, re.ASCII) is None:
            raise ValueError(f"has to be {self.words_and_example}")
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^{self.pattern}$", IN_WORDS: f"has to be {self.words_and_example}"}


def name_form(shortest: int, longest: int, *, example: str) -> Form:
    """The form of a name that most services take."""
    return Form(
        rf"[A-Za-z0-9_.-]{{{shortest},{longest}}}", f"{shortest} to {longest} letters, digits and _ . -", example
    )


STREAM = name_form(1, 128, example="orders")
STREAM_ARN = Form(
    r"arn:[a-z-]+:kinesis:[a-z0-9-]+:\d{12}:stream/[A-Za-z0-9_.-]{1,128}",
    "the ARN of a stream",
    "arn:aws:kinesis:us-east-1:222233334444:stream/orders",
)
APPLICATION = name_form(1, 64, example="firnline-dev")
AwsService = Literal["kinesis", "dynamodb", "secretsmanager", "s3", "sts", "glue"]
ROLE = Form(
    r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,576}",
    "the ARN of a role",
    "arn:aws:iam::222233334444:role/firnline-orders-reader",
)
EXTERNAL_ID = Form(r"[\w+=,.@:/-]{2,1224}", "2 to 1,224 letters, digits and _ + = , . @ : / -", "firnline-4f1c")
