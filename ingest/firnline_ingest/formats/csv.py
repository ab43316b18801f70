"""csv: a record is lines of fields, each a row. A line with a field too many, or too few, is nothing that could be fixed without
a guess.
"""

import io
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.format import Check, Decoder, SchemasOf
from firnline_ingest.config.identifier import ObjectName
from firnline_ingest.formats.packing import EXPANDED_BYTES, PackedFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, as_text, malformed, too_large

FIELDS = 100_000  # of a row; a table has far fewer columns
OneCharacter = Annotated[str, Field(min_length=1, max_length=1)]


class CsvFormat(PackedFormat):
    """A record is lines of fields (RFC 4180); each line becomes a row. Values are texts, which Snowflake casts to the column's
    type; an empty field is null.
    """

    order = 50

    type: Literal["csv"]
    """Lines of fields."""
    columns: list[ObjectName] = Field(default=[])
    """The fields' columns, in their order; empty where `header` has the names."""
    header: bool = False
    """True if the first line of each record names the columns. With `columns` too it is skipped."""
    delimiter: OneCharacter = ","
    """Between two fields."""
    quote: OneCharacter | None = '"'
    """Around fields that hold delimiters or line breaks, doubled inside of them; null where quotes mean nothing."""

    @model_validator(mode="after")
    def _has_names(self) -> Self:
        if not (self.columns or self.header):
            raise ValueError("give columns: [FIRST, SECOND], a name for each field in its order, or header: true")
        if self.delimiter == self.quote or {self.delimiter, self.quote} & {"\r", "\n", "\0"}:
            raise ValueError("delimiter and quote have to be two characters, and neither of them a line break")
        if len({stored_name(name).upper() for name in self.columns}) < len(self.columns):
            raise ValueError("columns has a name twice")
        return self

    @property
    def makes_several_rows(self) -> bool:
        return True

    @property
    def named_columns(self) -> Sequence[str]:
        return self.columns

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        import csv

        from msgspec.json import Encoder

        encode = Encoder().encode
        csv.field_size_limit(EXPANDED_BYTES)  # of the whole process; Python's own is 131,072 characters
        declared = [stored_name(name) for name in self.columns]

        def member(key: bytes, field: str) -> bytes:
            return b"%b:%b" % (key, encode(field) if field else b"null")

        def decode(data: bytes) -> Iterator[bytes]:
            as_text(data)
            lines = _lines(self, io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline=""))
            names: Sequence[str] = declared
            if self.header:
                _, header = next(lines, (0, []))
                names = declared or header
            keys = [encode(name) for name in names]
            check(b"{%b}" % b",".join(member(key, "") for key in keys))
            found = False
            for number, fields in lines:
                if len(fields) != len(names):
                    raise malformed(f"line {number} has {len(fields)} fields, and there are {len(names)} columns.")
                found = True
                yield b"{%b}" % b",".join(map(member, keys, fields))
            if not found:
                raise Unusable(Rejection(RejectReason.EMPTY, "it has no line of fields."))

        return decode


def _lines(of: CsvFormat, text: Iterator[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yields each line with the number on which it ends; blank lines are skipped."""
    import csv

    bounded = _Bounded(text, of.delimiter)
    if of.quote is None:
        reader = csv.reader(bounded, delimiter=of.delimiter, quoting=csv.QUOTE_NONE, strict=True)
    else:
        reader = csv.reader(bounded, delimiter=of.delimiter, quotechar=of.quote, strict=True)
    try:
        for fields in reader:
            bounded.delimiters = 0
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        raise malformed(f"line {reader.line_num}: {error}.") from error


class _Bounded:
    """Lines of text, as long as what they have of delimiters since `delimiters` was set to 0 may be the fields of one row."""

    def __init__(self, text: Iterator[str], delimiter: str) -> None:
        self.delimiters = 0
        self._text, self._delimiter = text, delimiter

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.delimiters += line.count(self._delimiter)
            if self.delimiters >= FIELDS:
                raise too_large(f"a row has more than {FIELDS:,} fields.")
            yield line
