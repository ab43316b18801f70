"""The paths of a SELECT against what rows have: a path that leads nowhere is NULL in every row, and no service says so."""

from collections.abc import Iterator, Sequence

from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.target_tables import target_tables
from firnline_ingest.config.pipe_select import UnreadableSelect, paths_in
from firnline_ingest.config.rows import PARTS, MetadataForm
from firnline_ingest.errors import did_you_mean
from firnline_ingest.identifiers import InvalidIdentifier, quoted, stored_name

OTHERS = {
    "RECORD_CONTENT": "content_column",
    "RECORD_METADATA": "metadata.column",
    "KINESISMETADATA": "metadata.column",
}
"""Columns of other connectors, which no record has as keys, and the option that gives rows one of the name."""


def _a_path_leads_somewhere(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline, texts = each.pipeline, []
        if pipeline.pipe is not None and pipeline.pipe.origin is ObjectOrigin.CREATE:
            texts.append((each.at("pipe.select"), pipeline.pipe.select or ""))
        texts += [
            (f"{each.path}.columns[{number}].select", column.select)
            for number, column in enumerate(pipeline.columns)
            if column.select is not None
        ]
        for where, text in texts:
            try:
                found = dict.fromkeys(paths_in(text))
                yield from (f"{where}: {why}" for path in found if (why := _nowhere(pipeline, path)))
            except (UnreadableSelect, InvalidIdentifier):  # told by another check
                continue


def _nowhere(pipeline: Pipeline, path: Sequence[str]) -> str:
    """Why the path is NULL in each row; empty where a row may have it. Raises InvalidIdentifier."""
    if not path:
        return ""
    first, written = path[0], "$1:" + ".".join(map(quoted, path))
    metadata, content = pipeline.metadata, content_column(pipeline)
    content_name = None if pipeline.content_column is None else stored_name(pipeline.content_column)
    own = metadata.columns(are_numbered=pipeline.format.makes_several_rows)
    if first in own:
        return _no_part(pipeline, path, written) if metadata.form is not MetadataForm.COLUMNS else ""
    if first == content_name:
        return ""
    known = [*own, *([content_name] if content_name else [])]
    if content_name or content:
        return f"{written} is in no row: records are whole in {content_name}; {did_you_mean(first, known)}"
    if first.upper() in (name.upper() for name in known):
        near = next(name for name in known if name.upper() == first.upper())
        if near in own and pipeline.audit:  # told by another check, which knows what that means for the audit
            return ""
        return f"{written} is in no row: keys keep their case, and it is called {near}."
    if first.upper() in OTHERS:
        option = OTHERS[first.upper()]
        return f"{written} is in no row: {option} says what a row has of that; {did_you_mean(first, known)}"
    return ""


def _no_part(pipeline: Pipeline, path: Sequence[str], written: str) -> str:
    if len(path) == 1:
        return ""
    metadata = pipeline.metadata
    parts = metadata.parts(are_numbered=pipeline.format.makes_several_rows)
    names = {metadata.name_of(part): part for part in PARTS}
    part = names.get(path[1])
    if part is None:
        on = [metadata.name_of(each) for each in parts]
        return f"{written} is in no row: the metadata has no {path[1]}; {did_you_mean(path[1], on)}"
    if part not in parts:
        why = f"metadata.{part} is off" if part != "row" else "rows of this format have no number"
        return f"{written} is in no row: {why}."
    return ""


CHECKS = (_a_path_leads_somewhere,)
