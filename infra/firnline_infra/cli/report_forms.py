"""Forms of a report: one to standard output, others into files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.colour import coloured
from firnline_infra.cli.output import OUTPUTS, output_option, rendered

if TYPE_CHECKING:
    from firnline_infra.observe.spec_lines import LineOf
    from firnline_ingest.checks import Report

FURTHER = ("sarif", "markdown", "codequality")
FORMATS = (*OUTPUTS, *FURTHER)


def report_options(example: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`example` is a value of --also."""
    also = click.option(
        "--also",
        metavar="FORMAT=FILE",
        multiple=True,
        help=f"Another format of the report, into a file; repeatable: {example}.",
    )
    return lambda command: output_option(*FURTHER)(also(command))


def places_of(output: str, also: tuple[str, ...]) -> list[tuple[str, Path | None]]:
    """Each form with the file that it goes into; None is standard output. Raises BadParameter."""
    return [(output, None), *map(_place, also)]


def write_report(report: "Report", places: list[tuple[str, Path | None]], spec_file: Path) -> None:
    for form, file in places:
        text = _text(report, form, spec_file)
        if file is None:
            click.echo(coloured(text) if form == OUTPUTS[0] else text)
        else:
            file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def _place(text: str) -> tuple[str, Path | None]:
    form, _, file = text.partition("=")
    if form not in FORMATS or not file:
        raise click.BadParameter(f"{text!r}: give FORMAT=FILE, with one of {', '.join(FORMATS)}.", param_hint="--also")
    return form, Path(file)


def _text(report: "Report", form: str, spec_file: Path) -> str:
    from firnline_infra.observe.code_quality import report_code_quality
    from firnline_infra.observe.sarif import report_sarif
    from firnline_infra.observe.spec_lines import line_of
    from firnline_infra.observe.text import report_markdown, report_table

    def lines() -> "LineOf":
        return line_of(spec_file.read_text(encoding="utf-8"))

    match form:
        case "sarif":
            return report_sarif(report, spec_file=spec_file.as_posix(), line_of=lines())
        case "codequality":
            return report_code_quality(report, spec_file=spec_file.as_posix(), line_of=lines())
        case "markdown":
            return report_markdown(report)
        case _:
            return rendered(form, report.as_document, lambda: report_table(report))
