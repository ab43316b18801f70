"""docs/design/requests.md: what the suite asked of AWS's services, by operation, with who judged it.

`FIRNLINE_REQUESTS=FOLDER scripts/test --all`, then `python -m docs.tools.requests FOLDER`, adds what is new and keeps
what is there. Fields that a service's model does not have are left out: a test asked for those on purpose.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from firnline_local.service_models.liberties import LIBERTIES, MOTO
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


def recorded(folder: Path) -> Requests:
    asked: Requests = defaultdict(set)
    for file in sorted(folder.glob("*.jsonl")):
        for note in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            service, name = note["service"], note["operation"]
            shape = operation_model(service, name).input_shape
            asked[service, name] |= {field for field in note.get("fields", ()) if shape and field in shape.members}
    return asked


def of_page(text: str) -> Requests:
    asked: Requests = {}
    for line in _between(text, BEGIN, END):
        if line.startswith("| ") and line not in HEAD:
            service, name, fields, _ = (cell.strip() for cell in line.strip("|").split("|"))
            asked[service, name] = set(fields.split(", ")) - {"-"}
    return asked


def judges(service: str, operation: str) -> str:
    others = [name for (of, name), operations in SERVERS.items() if of == service and operation in operations]
    return ", ".join([MODEL, "the imitation" if service in OURS else "moto", *others])


def page(text: str, asked: Requests) -> str:
    """The page with what it has and what was asked, and with what moto may answer beside the models."""
    known = of_page(text)
    rows = []
    for service, name in sorted(known.keys() | asked.keys()):
        fields = known.get((service, name), set()) | asked.get((service, name), set())
        rows.append(f"| {service} | {name} | {', '.join(sorted(fields)) or '-'} | {judges(service, name)} |")
    text = _with(text, BEGIN, END, "\n".join([HEAD, *rows]))
    beside = [f"* {each.service}, {each.operation}: `{each.path}`: {each.why}" for each in sorted(LIBERTIES)]
    return _with(text, MOTO_BEGIN, MOTO_END, "\n".join([f"Of moto {MOTO}:", "", *beside]))


def _between(text: str, begin: str, end: str) -> list[str]:
    return text.partition(begin)[2].partition(end)[0].splitlines()


def _with(text: str, begin: str, end: str, content: str) -> str:
    before, rest = text.split(begin)
    return f"{before}{begin}\n{content}\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), recorded(Path(sys.argv[1]))), encoding="utf-8")
