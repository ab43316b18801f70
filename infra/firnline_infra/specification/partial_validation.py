"""Validation of the parts of a document with mistakes that can still be cross-checked, so that all problems are reported at once.

A value that its model refuses is left out, or replaced by a stand-in where it is required. What the cross-checks then
say about a stand-in, or about a place that was told already, is left out as well.
"""

import copy
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from firnline_infra.specification.model import EnvironmentSpec

STAND_IN = "firnline-stand-in"
ABSENT_PIPELINE = "no pipeline has"
ROUNDS = 5  # leaving one value out can make another one wrong, not many times over
Location = tuple[str | int, ...]


def salvaged_problems(document: object, problems: Callable[[EnvironmentSpec], Iterable[str]]) -> Iterator[str]:
    """Yields what `problems` finds in the rest of a document that its model refuses; nothing if too little is left."""
    mended, touched = copy.deepcopy(document), set[str]()
    for _ in range(ROUNDS):
        try:
            spec = EnvironmentSpec.model_validate(mended, strict=None)
        except ValidationError as error:
            locations = [problem["loc"] for problem in error.errors()]
            touched |= {_path(location) for location in locations}
            for location in sorted(set(locations), key=_depth_and_place, reverse=True):
                _mend(mended, location)
            continue
        yield from (problem for problem in problems(spec) if not _is_about(problem, touched))
        return


def _mend(document: Any, location: Location) -> None:
    if not location:  # the document is not a mapping at all
        return
    *way, last = location
    for part in way:
        try:
            document = document[part]
        except (KeyError, IndexError, TypeError):
            return
    stand_in = _stand_in(location)
    if stand_in is not None:
        document[last] = stand_in
    elif isinstance(document, dict):
        document.pop(last, None)
    elif isinstance(document, list) and isinstance(last, int):
        del document[last]


def _depth_and_place(location: Location) -> tuple[int, tuple[int, ...]]:
    """The inner ones last, and those of a list in their order: from its end, leaving one out moves no other."""
    return len(location), tuple(part for part in location if isinstance(part, int))


def _stand_in(location: Location) -> Any:
    """A stand-in for a field that can't be left out; None for every other field."""
    unique = f"{STAND_IN}-{'-'.join(map(str, location))}"
    required: dict[Location, Any] = {
        ("version",): 1,
        ("name",): STAND_IN,
        ("aws",): {"region": "us-east-1", "account": "000000000000"},
        ("aws", "region"): "us-east-1",
        ("aws", "account"): "000000000000",
        ("snowflake",): {"account": STAND_IN},
        ("snowflake", "account"): STAND_IN,
        ("streams", 0): {"name": unique},
        ("streams", 0, "name"): unique,
        ("pipelines", 0): {"stream": unique, "database": f'"{unique}"', "schema": f'"{unique}"'},
        ("pipelines", 0, "stream"): unique,
        ("pipelines", 0, "database"): f'"{unique}"',
        ("pipelines", 0, "schema"): f'"{unique}"',
    }
    return required.get(tuple(0 if isinstance(part, int) else part for part in location))


def _is_about(problem: str, touched: Iterable[str]) -> bool:
    if STAND_IN in problem:
        return True
    if any(problem.endswith(f", as in {each}.") for each in touched):
        return True  # it compares with a stand-in
    if ABSENT_PIPELINE in problem and any(each.startswith("pipelines") for each in touched):
        return True  # the one that was left out may be it
    path = problem.partition(":")[0]
    return any(
        path == each or path.startswith((f"{each}.", f"{each}[")) or _follows(problem, path, each) for each in touched
    )


def _follows(problem: str, path: str, touched: str) -> bool:
    """Returns whether a problem may come of the absence alone: it names the field, or is of one beside it that is
    called after it, as key_arn is after arn.

    A wrong name is compared with all others, and so is no reason; nor is a field for its namesake of an object beside
    its own.
    """
    parent, _, last = touched.rpartition(".")
    field, (beside, _, own) = last.partition("[")[0], path.rpartition(".")
    if own == field and not path.startswith(parent):
        return False
    word = rf"\b{re.escape(field.removesuffix('s'))}s?\b"
    is_named = field != "name" and re.search(word, f"{own} {problem.removeprefix(path)}") is not None
    return is_named or (beside == parent and own.endswith(f"_{field}"))


def _path(location: Location) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
