"""Tags that every AWS service takes (docs.aws.amazon.com/tag-editor, Tag naming limits), beside Firnline's own."""

import re
from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec

LONGEST_KEY, LONGEST_VALUE = 128, 256
OURS = 3  # blueprint/marks.py
MOST = 50 - OURS
LETTERS = re.compile(r"[\w\s.:/=+@-]*")  # of any script


def _keys_and_values_are_taken(spec: EnvironmentSpec) -> Iterator[str]:
    for key, value in spec.tags.items():
        path = f"tags.{key}"
        if not 1 <= len(key) <= LONGEST_KEY:
            yield f"{path}: a key has 1 to {LONGEST_KEY} characters, this one has {len(key)}."
        if len(value) > LONGEST_VALUE:
            yield f"{path}: a value has up to {LONGEST_VALUE} characters, this one has {len(value)}."
        if not (LETTERS.fullmatch(key) and LETTERS.fullmatch(value)):
            yield f"{path}: AWS takes letters, digits, spaces and _ . : / = + - @ (got {key!r}: {value!r})."


def _prefixes_are_free(spec: EnvironmentSpec) -> Iterator[str]:
    whose = {"aws:": "AWS itself", "firnline:": "Firnline, which sets them itself and knows its objects by them"}
    for key in spec.tags:
        for prefix, owner in whose.items():
            if key.lower().startswith(prefix):
                yield f"tags.{key}: the prefix {prefix} belongs to {owner}; name it otherwise."


def _keys_are_distinct_for_iam(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[str, str] = {}
    for key in spec.tags:
        if (other := first.setdefault(key.lower(), key)) != key:
            yield f"tags.{key}: IAM does not tell it from {other!r}; keep one."


def _there_are_not_too_many(spec: EnvironmentSpec) -> Iterator[str]:
    if len(spec.tags) > MOST:
        yield f"tags: {len(spec.tags)} are given; AWS takes 50 on an object, and {OURS} of them are Firnline's."


CHECKS = (_keys_and_values_are_taken, _prefixes_are_free, _keys_are_distinct_for_iam, _there_are_not_too_many)
