"""docs/design/requests.md: what the suite asked of AWS's services, by operation, with who judged it.

`FIRNLINE_REQUESTS=FOLDER scripts/test --all`, then `python -m docs.tools.requests FOLDER`, adds what is new and keeps
what is there. Fields that a service's model does not have are left out: a test asked for those on purpose.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from firnline_local.service_models.models import operation_model

PAGE = Path(__file__).parents[1] / "design" / "requests.md"
BEGIN, END = "<!-- requests -->", "<!-- end of requests -->"
MOTO_BEGIN, MOTO_END = "<!-- moto -->", "<!-- end of moto -->"
HEAD = "| service | operation | fields | judged by |\n|---|---|---|---|"
MODEL = "botocore's model"
OURS = {
    "kinesis",
    "elasticmapreduce",
    "emr-serverless",
    "emr-containers",
    "eks",
    "redshift-serverless",
    "redshift-data",
}
"""Services that are answered by the embedded environment alone; moto answers the others."""
SERVERS: Mapping[tuple[str, str], Iterable[str]] = {
    ("dynamodb", "dynalite"): [
        *("CreateTable", "DeleteItem", "DescribeTable", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"),
    ],
    ("kinesis", "kinesis-mock, kinesalite"): [
        *("CreateStream", "DescribeStreamSummary", "GetRecords", "GetShardIterator", "ListShards", "MergeShards"),
        *("PutRecord", "PutRecords", "SplitShard"),
    ],
    ("s3", "versitygw"): ["CreateBucket", "GetObject", "ListObjectsV2", "PutObject"],
}
"""What tests/foreign asked of other people's servers."""

Requests = dict[tuple[str, str], set[str]]
"""The fields, by service and operation."""


def recorded(folder: Path) -> tuple[Requests, set[str]]:
    """The requests, and what moto answered beside a model: lines of the page's list."""
    asked: Requests = defaultdict(set)
    beside: set[str] = set()
    for file in sorted(folder.glob("*.jsonl")):
        for note in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            service, name = note["service"], note["operation"]
            if note.get("of") == "answer" and service not in OURS:
                beside.add(f"* {service}, {name}: {_said(note['violation'])}")
            shape = operation_model(service, name).input_shape
            asked[service, name] |= {field for field in note.get("fields", ()) if shape and field in shape.members}
    return asked, beside


def _said(violation: str) -> str:
    """The violation without the number of the member that it was found in."""
    path, _, problem = violation.removeprefix("Value at ").partition(" failed to satisfy constraint: ")
    return f"`{re.sub(r'[.][0-9]+[.]member', '[]', path.strip(chr(39)))}`: {problem}"


def of_page(text: str) -> tuple[Requests, set[str]]:
    asked: Requests = {}
    for line in _between(text, BEGIN, END):
        if line.startswith("| ") and line not in HEAD:
            service, name, fields, _ = (cell.strip() for cell in line.strip("|").split("|"))
            asked[service, name] = set(fields.split(", ")) - {"-"}
    return asked, {line for line in _between(text, MOTO_BEGIN, MOTO_END) if line.startswith("* ")}


def judges(service: str, operation: str) -> str:
    others = [name for (of, name), operations in SERVERS.items() if of == service and operation in operations]
    return ", ".join([MODEL, "the imitation" if service in OURS else "moto", *others])


def page(text: str, asked: Requests, beside: set[str]) -> str:
    """The page with what it has and what was asked."""
    known, listed = of_page(text)
    rows = []
    for service, name in sorted(known.keys() | asked.keys()):
        fields = known.get((service, name), set()) | asked.get((service, name), set())
        rows.append(f"| {service} | {name} | {', '.join(sorted(fields)) or '-'} | {judges(service, name)} |")
    text = _with(text, BEGIN, END, "\n".join([HEAD, *rows]))
    return _with(text, MOTO_BEGIN, MOTO_END, "\n".join(sorted(listed | beside)))


def _between(text: str, begin: str, end: str) -> list[str]:
    return text.partition(begin)[2].partition(end)[0].splitlines()


def _with(text: str, begin: str, end: str, content: str) -> str:
    before, rest = text.split(begin)
    return f"{before}{begin}\n{content}\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), *recorded(Path(sys.argv[1]))), encoding="utf-8")
