"""First-level keys that a pipeline's rows can have, as far as its format, transforms and query say.

What they don't say is possible: a key counts as absent only where an option makes it so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.query_columns import columns_of_query
from firnline_ingest.config.field_path import Each, steps_of
from firnline_ingest.config.transform import Transform
from firnline_ingest.errors import did_you_mean

EVENT_KEYS = ("id", "timestamp", "message", "owner", "logGroup", "logStream", "subscriptionFilters", "extractedFields")
OF_THE_ENVELOPE = ("messageType", "logEvents")


@dataclass(frozen=True, slots=True)
class RowKeys:
    """The keys of all rows of a pipeline."""

    all: frozenset[str] | None = None
    """None where rows may have keys that nobody here knows."""
    known: frozenset[str] = frozenset()
    """Keys that options name, with their case."""
    gone: Mapping[str, str] = field(default_factory=dict)
    """Keys that no row has any more, and why."""
    made_by: str = ""
    """The option that decides which keys there are."""
    flattened: tuple[str, str] | None = None
    """The option that flattens the rows, and the delimiter; None where a value may be an object."""

    def absence(self, path: Sequence[str]) -> str:
        """Returns why no row has something at the path; empty where one may."""
        first = path[0]
        if first in self.gone:
            return f"{self.gone[first]}."
        if self.flattened is not None and len(path) > 1:
            by, delimiter = self.flattened
            return f"{by} flattens records, and it is called {delimiter.join(path)}."
        if first in self.known:
            return ""
        if near := next((name for name in sorted(self.known) if name.upper() == first.upper()), None):
            return f"keys keep their case, and it is called {near}."
        if self.all is not None:
            return f"{self.made_by} says which keys there are; {did_you_mean(first, self.all)}"
        return ""

    def without(self, gone: Mapping[str, str]) -> "RowKeys":
        left = None if self.all is None else self.all - gone.keys()
        return replace(self, all=left, known=self.known - gone.keys(), gone={**self.gone, **gone})

    def with_keys(self, *keys: str, known: frozenset[str], is_flat: bool = True) -> "RowKeys":
        """`known`: those of them that every row has."""
        return replace(
            self,
            all=None if self.all is None else self.all | set(keys),
            known=self.known | known,
            gone={name: why for name, why in self.gone.items() if name not in keys},
            flattened=self.flattened if is_flat else None,
        )


def keys_of_rows(pipeline: Pipeline) -> RowKeys:
    """Returns the keys of rows, without those of the metadata; of the records inside of a `content_column`, where there is one.

    Raises InvalidIdentifier.
    """
    if pipeline.query is not None:
        columns = columns_of_query(pipeline.query)
        return RowKeys() if columns is None else RowKeys(columns, columns, made_by="query.sql")
    keys = _of_format(pipeline)
    for place, each in enumerate(pipeline.transforms):
        keys = _behind(each, f"transforms[{place}]", keys)
    return keys


def _of_format(pipeline: Pipeline) -> RowKeys:
    if pipeline.format.type == "cloudwatch_logs":
        gone = {name: f"{name} belongs to the envelope, and a row is one of its events" for name in OF_THE_ENVELOPE}
        return RowKeys(known=frozenset(EVENT_KEYS), gone=gone)
    made = frozenset(pipeline.content_keys)
    return RowKeys(made, made, made_by="format") if made else RowKeys()


def _behind(transform: Transform, at: str, keys: RowKeys) -> RowKeys:
    """The keys of records that the transform has changed."""
    from firnline_ingest.transforms.cast import CastTo, CastTransform
    from firnline_ingest.transforms.exclude import ExcludeTransform
    from firnline_ingest.transforms.flatten import FlattenTransform
    from firnline_ingest.transforms.hoist import HoistTransform
    from firnline_ingest.transforms.insert import InsertTransform
    from firnline_ingest.transforms.mask import MaskTransform
    from firnline_ingest.transforms.rename import RenameTransform

    match transform:
        case ExcludeTransform():
            return keys.without({key: f"{at} excludes it" for path in transform.fields if (key := _key(path))})
        case RenameTransform():
            names = {key: name for path, name in transform.fields.items() if (key := _key(path))}
            there = [name for key, name in names.items() if keys.all is None or key in keys.all]
            known = frozenset(name for key, name in names.items() if key in keys.known)
            gone = {key: f"{at} renames it, and it is called {name}" for key, name in names.items()}
            return keys.without(gone).with_keys(*there, known=known)
        case FlattenTransform():
            gone = {name: why for name, why in keys.gone.items() if transform.delimiter not in name}
            return RowKeys(gone=gone, flattened=(at, transform.delimiter))
        case HoistTransform():
            only = frozenset({transform.field})
            return RowKeys(only, only, made_by=at)
        case InsertTransform():
            is_flat = len(steps_of(transform.field)) == 1 and not isinstance(transform.value, dict)
            key = str(steps_of(transform.field)[0])
            return keys.with_keys(key, known=frozenset({key}), is_flat=is_flat)
        case CastTransform() if CastTo.JSON in transform.fields.values():
            return replace(keys, flattened=None)
        case MaskTransform() if isinstance(transform.replacement, dict):
            return replace(keys, flattened=None)
    return RowKeys() if transform.makes_keys or transform.takes_keys else keys


def _key(path: str) -> str:
    """The first-level key that the path is; empty where it is inside of one."""
    first, *inner = steps_of(path)
    return "" if inner or isinstance(first, Each) else first
