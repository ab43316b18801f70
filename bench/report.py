"""The figures as a table for people, and as JSON for programs."""

import json
import os
import platform
from collections.abc import Sequence

from bench.figure import Figure
from firnline_ingest.terminal import text_table

COLUMNS = ("part", "figure", "unit", "median", "min", "max", "bar", "met")


def as_table(figures: Sequence[Figure]) -> str:
    return text_table(COLUMNS, [_row(figure) for figure in figures])


def as_json(figures: Sequence[Figure]) -> str:
    machine = {"system": platform.platform(), "python": platform.python_version(), "cpus": os.cpu_count()}
    return json.dumps({"machine": machine, "figures": [figure.as_dict() for figure in figures]}, indent=2)


def _row(figure: Figure) -> list[object]:
    numbers = [figure.rounded(value) for value in (figure.median, min(figure.values), max(figure.values))]
    met = {True: "yes", False: "NO", None: ""}[figure.is_met]
    return [figure.part, figure.name, figure.unit, *numbers, figure.bar or "", met]
