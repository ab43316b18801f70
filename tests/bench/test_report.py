import json

from bench.figure import Figure, at_most
from bench.report import as_json, as_table

FIGURES = [
    Figure(part="page", name="firnline", unit="ms", values=[4.04, 5.0, 4.5], bar=at_most(6)),
    Figure(part="path", name="firnline", unit="ms", values=[19.0], bar=at_most(18)),
    Figure(part="path", name="throughput", unit="MB/s", values=[31.26]),
]


def test_the_table_shows_spread_and_bars_and_shouts_what_is_missed() -> None:
    assert as_table(FIGURES).splitlines()[2:] == [
        "page  firnline    ms       4.5   4.0   5.0  <= 6   yes",
        "path  firnline    ms      19.0  19.0  19.0  <= 18  NO",
        "path  throughput  MB/s    31.3  31.3  31.3",
    ]


def test_the_document_has_every_run_and_the_machine() -> None:
    document = json.loads(as_json(FIGURES))
    assert [figure["runs"] for figure in document["figures"]] == [[4.04, 5.0, 4.5], [19.0], [31.26]]
    assert document["machine"]["cpus"]
