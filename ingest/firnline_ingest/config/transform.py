"""The base of transforms: a small change of every record before it is a row (docs/transforms.md).

Each kind is one file of firnline_ingest/transforms. A pipeline's transforms are applied in their order, between the record's
format and its metadata.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from firnline_ingest.config.document import Section
from firnline_ingest.config.field_path import steps_of
from firnline_ingest.identifiers import MAX_CHARACTERS


def _is_json(value: object) -> object:
    """Converts to JSON what a document in YAML may hold beyond it."""
    import json  # here and below: most documents have no transform

    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
        if json.loads(text) != value:
            raise ValueError("a key is not text; put it between quotes")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {error}") from None
    return value


JsonValue = Annotated[Any, AfterValidator(_is_json)]
KeyName = Annotated[str, Field(min_length=1)]


class Transform(Section):
    """The base of all kinds: what the options' checks, the hash and the engine ask each of them."""

    if TYPE_CHECKING:
        type: str  # a Literal of one word; each kind declares it among its options

    order: ClassVar[int]
    """Where the kind is listed among the others: in the schema, in the reference and in messages."""
    code_version: ClassVar[int] = 1
    """Rises with every change of what the kind makes of a record, so that rows in flight are counted as they were made
    (docs/design/ledger.md, section 5)."""
    makes_keys: ClassVar[bool] = False
    """Whether records may have first-level keys afterwards that they had not before."""
    takes_keys: ClassVar[bool] = False
    """Whether records may lack first-level keys afterwards that they had before."""

    @property
    def paths(self) -> Collection[str]:
        """The places of a record that it looks at; one that is not there is passed over, or decides."""
        return ()

    @property
    def keys_of_every_record(self) -> Sequence[str]:
        """First-level keys that every record has afterwards."""
        return ()

    @property
    def keys_made(self) -> Sequence[str]:
        """First-level keys that records get from it, as far as the options say which."""
        return self.keys_of_every_record

    @property
    def leaves_records_out(self) -> bool:
        """True if it makes no row of some records on purpose."""
        return False

    @property
    def functions(self) -> Sequence[str]:
        """The user's functions that it calls, by their import paths."""
        return ()

    def code_of_functions(self) -> Sequence[str]:
        """Returns what changes with the code of those functions. Raises CallableUnusable."""
        return ()

    def compiled(self) -> Callable[[Any, Any], None]:
        """Returns the function that changes one document (records.chain.Apply). Raises CallableUnusable."""
        raise NotImplementedError


def refuse_another_case(transforms: Sequence[Transform], keys: Iterable[str]) -> None:
    """Raises ValueError for a path that misses by its case alone a key that the format makes: it would hide or keep nothing,
    unnoticed.
    """
    made = {key.upper(): key for key in keys}
    for place, each in enumerate(transforms):
        for path in each.paths:
            first = str(steps_of(path)[0])
            if (key := made.get(first.upper(), first)) != first:
                raise ValueError(
                    f"transforms[{place}]: {path} is not there; the format makes the key {key}, and case counts"
                )
        if each.makes_keys:
            return


def refuse_metadata_keys(transforms: Sequence[Transform], columns: Iterable[str]) -> None:
    """Raises ValueError for a transform that gives every record a key that is a metadata column, or whatever record it changes a
    key that can be no column: none of them could be a row.
    """
    taken = {column.upper() for column in columns}
    for place, each in reversed(list(enumerate(transforms))):
        for key in each.keys_made:
            if len(key) > MAX_CHARACTERS or "\0" in key:
                raise ValueError(
                    f"transforms[{place}]: the key {key[:20]!r}… can't be a column, so no record would be a row; "
                    f"at most {MAX_CHARACTERS} characters, and no NUL"
                )
            if key.upper() in taken and key in each.keys_of_every_record:
                raise ValueError(
                    f"transforms[{place}]: {key} is a metadata column, so no record would be a row; rename one"
                )
        if each.takes_keys:
            return


def refuse_key_of_no_record(
    key: str, transforms: Sequence[Transform], made: Collection[str], metadata_columns: Iterable[str]
) -> None:
    """Raises ValueError for a key of routes that no row's record can have: not one of those that the format makes, or a metadata
    column's name.
    """
    if key.upper() in {column.upper() for column in metadata_columns}:
        raise ValueError(f"routes.key: {key} is a metadata column, so no record with it would be a row; name another")
    if made and key not in made and not any(each.makes_keys for each in transforms):
        raise ValueError(
            f"routes.key: no record has {key}; expected what the format makes, in its case: {', '.join(made)}"
        )


def called_by(transforms: Sequence[Transform]) -> list[str]:
    """The functions of the user that they call, by their import paths."""
    return [path for each in transforms for path in each.functions]


def transforms_hash(transforms: Sequence[Transform]) -> str:
    """Changes with what the declared transforms make of a record: their options, their order and their code.

    Raises CallableUnusable.
    """
    import json

    said = [[each.code_version, each.model_dump(mode="json"), *each.code_of_functions()] for each in transforms]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
