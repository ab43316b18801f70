"""The paths of a SELECT against what rows have: a path that leads nowhere is NULL in every row, and no service says so."""

from collections.abc import Iterator, Sequence

from firnline_infra.specification.checks.pipes import is_position_lost
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.row_keys import RowKeys, keys_of_rows
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
            select = pipeline.pipe.select or ""
            texts.append((each.at("pipe.select"), select, is_position_lost(pipeline)))
        texts += [
            (f"{each.path}.columns[{number}].select", column.select, False)
            for number, column in enumerate(pipeline.columns)
            if column.select is not None
        ]
        for where, text, is_lost in texts:
            try:
                found = dict.fromkeys(paths_in(text))
                keys = keys_of_rows(pipeline)
                yield from (f"{where}: {why}" for path in found if (why := _nowhere(pipeline, keys, path, is_lost)))
            except (UnreadableSelect, InvalidIdentifier):  # told by another check
                continue


def _nowhere(pipeline: Pipeline, keys: RowKeys, path: Sequence[str], is_lost: bool) -> str:
    """Returns why the path is NULL in each row; empty where a row may have it. `is_lost`: another check names the metadata that
    the SELECT loses. Raises InvalidIdentifier.
    """
    if not path:
        return ""
    first, written = path[0], "$1:" + ".".join(map(quoted, path))
    metadata = pipeline.metadata
    content = None if pipeline.content_column is None else stored_name(pipeline.content_column)
    own = metadata.columns(are_numbered=pipeline.format.makes_several_rows)
    if first in own:
        return _no_part(pipeline, path, written) if metadata.form is not MetadataForm.COLUMNS else ""
    if near := next((name for name in own if name.upper() == first.upper()), None):
        return "" if is_lost else f"{written} is in no row: keys keep their case, and it is called {near}."
    if content is not None:
        why = _not_in_content(pipeline, keys, path, content)
    elif not (why := keys.absence(path)) and first.upper() in OTHERS and first not in keys.known:
        why = f"{OTHERS[first.upper()]} says what a row has of that; {did_you_mean(first, own)}"
    return f"{written} is in no row: {why}" if why else ""


def _not_in_content(pipeline: Pipeline, keys: RowKeys, path: Sequence[str], content: str) -> str:
    """The same where records are whole in one column, and the keys are theirs."""
    first, *inner = path
    if first == content:
        return keys.absence(inner) if inner and not pipeline.format.is_one_column else ""
    if first.upper() == content.upper():
        return f"keys keep their case, and it is called {content}."
    own = pipeline.metadata.columns(are_numbered=pipeline.format.makes_several_rows)
    return f"records are whole in {content}; {did_you_mean(first, [*own, content])}"


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
