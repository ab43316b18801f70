"""Counts the objects of each kind that a preview would change, of the lines in which Pulumi, Terraform or OpenTofu says it.

Pulumi writes `+ aws:kinesis/stream:Stream: (create)` (pkg/backend/display/diff.go), the two others `# aws_kinesis_stream.orders
will be created` (internal/command/jsonformat/plan.go). Where a release writes otherwise, there is no table.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from firnline_infra.kinds import TOKENS
from firnline_infra.kinds.kind import noun_of
from firnline_ingest.terminal import text_table

OPERATIONS = ("create", "update", "replace", "delete")
PULUMI = re.compile(r"\s*[+~-]{1,2}\s*(?P<type>[\w-]+:[\w/]+:\w+): \((?P<op>create|update|replace|delete)\)")
TERRAFORM = re.compile(
    r"\s*# (?:module\.\S+?\.)?(?P<type>[a-z]\w*)\.\S+ (?:will be|must be|is tainted, so must be) "
    r"(?P<op>created|updated|replaced|destroyed)\b"
)
WORDS = {"created": "create", "updated": "update", "replaced": "replace", "destroyed": "delete"}


def changes_table(lines: Iterable[str]) -> str:
    """A row for each kind, the largest first; empty where nothing would change."""
    counts: dict[str, Counter[str]] = {}
    for type_, operation in _changes(lines):
        counts.setdefault(_kind_of(type_), Counter())[operation] += 1
    kinds = sorted(counts, key=lambda kind: (-counts[kind].total(), kind))
    rows = [(kind, *(counts[kind][each] for each in OPERATIONS)) for kind in kinds]
    return text_table(("kind", *OPERATIONS), rows) if rows else ""


def _kind_of(type_: str) -> str:
    token = TOKENS.get(type_, type_)
    return noun_of(token) if token.count(":") == 2 else token


def _changes(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if (found := PULUMI.match(line)) and not found["type"].startswith(("pulumi:", "firnline:")):
            yield found["type"], found["op"]
        elif found := TERRAFORM.match(line):
            yield found["type"], WORDS[found["op"]]
