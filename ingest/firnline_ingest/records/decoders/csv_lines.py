"""Lines of fields to rows. A line with a field too many, or too few, is nothing that could be mended without a guess."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence

import msgspec

from firnline_ingest.config.formats import CsvFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.decoders.content import as_text
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.decoders.unpack import EXPANDED_BYTES
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

FIELDS = 100_000  # of a row; a table has far fewer columns

_encode = msgspec.json.Encoder().encode


def csv_decoder(of: CsvFormat, check: Callable[[bytes], bytes]) -> Decoder:
    csv.field_size_limit(EXPANDED_BYTES)  # of the whole process; Python's own is 131,072 characters
    declared = [stored_name(name) for name in of.columns]

    def decode(data: bytes) -> Iterator[bytes]:
        as_text(data)
        lines = _lines(of, io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline=""))
        names: Sequence[str] = declared
        if of.header:
            _, header = next(lines, (0, []))
            names = declared or header
        check(_object(names, [""] * len(names)))
        keys = [_encode(name) for name in names]
        found = False
        for number, fields in lines:
            if len(fields) != len(names):
                raise _malformed(f"line {number} has {len(fields)} fields, and there are {len(names)} columns.")
            found = True
            yield b"{%b}" % b",".join(map(_member, keys, fields))
        if not found:
            raise Unusable(Rejection(RejectReason.EMPTY, "it has no line of fields."))

    return decode


def _lines(of: CsvFormat, text: Iterator[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """With the number of the line on which each one ends. Blank lines are none."""
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
        raise _malformed(f"line {reader.line_num}: {error}.") from error


class _Bounded:
    """Lines of text, as long as what they have of delimiters since `delimiters` was set to 0 may be the fields of one row."""

    def __init__(self, text: Iterator[str], delimiter: str) -> None:
        self.delimiters = 0
        self._text, self._delimiter = text, delimiter

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.delimiters += line.count(self._delimiter)
            if self.delimiters >= FIELDS:
                raise Unusable(Rejection(RejectReason.TOO_LARGE, f"a row has more than {FIELDS:,} fields."))
            yield line


def _member(key: bytes, field: str) -> bytes:
    return b"%b:%b" % (key, _encode(field) if field else b"null")


def _object(names: Sequence[str], fields: Sequence[str]) -> bytes:
    return b"{%b}" % b",".join(_member(_encode(name), field) for name, field in zip(names, fields, strict=True))


def _malformed(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.MALFORMED, detail))
