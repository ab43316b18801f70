"""Packed records, and bytes that say more of themselves than they are."""

import gzip
import zlib
from collections.abc import Callable
from typing import Any

import cramjam
import pytest
import zstandard

from firnline_ingest.formats.packing import EXPANDED_BYTES, WINDOW_BYTES
from firnline_ingest.formats.snappy import IDENTIFIER, _stream
from firnline_ingest.records.rejection import RejectReason

from .making import convert, rejected, values

ROW = b'{"n":1}'


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def raw_snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def framed_snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress(data))


PACK = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "deflate": deflated,
    "zstd": zstandard.compress,
    "snappy": raw_snappy,
}
PACKED = {name: pack(ROW) for name, pack in PACK.items()}
STREAMED = zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compress(ROW)


@pytest.mark.parametrize(
    ("compression", "data"),
    [
        *PACKED.items(),
        ("gzip", gzip.compress(b'{"n"') + gzip.compress(b":1}") + b"\0\0"),
        ("zstd", zstandard.compress(b'{"n"') + zstandard.compress(b":1}")),
        ("zstd", STREAMED),
        *[
            (name, PACKED[name] + behind)
            for name in ("gzip", "zlib", "deflate")
            for behind in (b"\n", b"\r\n", b"\0\n")
        ],
        ("gzip", PACKED["gzip"] + b"\n" + gzip.compress(b" ") + b"\n"),
        ("snappy", framed_snappy(ROW)),
        ("snappy", framed_snappy(ROW) + b"\r\n\0"),
        ("snappy", framed_snappy(b'{"n"') + framed_snappy(b":1}")),
        ("snappy", framed_snappy(ROW + b" " * 200_000)),
        ("snappy", raw_snappy(ROW + b" " * 200_000)),
        ("snappy", IDENTIFIER + b"\xfe\x02\0\0pp" + b"\x80\x01\0\0s" + framed_snappy(ROW)),
    ],
)
def test_what_is_packed_is_a_row_like_any_other(compression: str, data: bytes) -> None:
    assert values(convert({"type": "json", "compression": compression}, data)) == [{"n": 1}]


@pytest.mark.parametrize("compression", PACKED)
def test_every_format_may_be_packed(compression: str) -> None:
    made = convert({"type": "text", "compression": compression}, PACKED[compression])
    assert values(made) == [{"RECORD_CONTENT": '{"n":1}'}]


@pytest.mark.parametrize(
    ("compression", "data"),
    [
        ("gzip", ROW),
        ("gzip", zlib.compress(ROW)),
        ("gzip", PACKED["gzip"][:-1]),
        ("gzip", PACKED["gzip"][:-8] + b"\0" * 8),
        ("gzip", PACKED["gzip"] + b"more"),
        *[(name, data) for name in ("zlib", "deflate") for data in (ROW, PACKED["gzip"], PACKED[name] + b"more")],
        ("zlib", PACKED["zlib"][:-1]),
        ("zlib", PACKED["deflate"]),
        ("deflate", PACKED["deflate"][:-1]),
        ("deflate", PACKED["zlib"]),
        ("zstd", ROW),
        ("zstd", PACKED["zstd"][:-1]),
        ("zstd", PACKED["zstd"] + b"more"),
        ("zstd", STREAMED[:-1] + b"\0"),
        ("snappy", ROW),
        ("snappy", PACKED["snappy"][:-1]),
        ("snappy", PACKED["snappy"] + b"more"),
        ("snappy", b"\xff" * 6),
        ("snappy", framed_snappy(ROW)[:-1]),
        ("snappy", framed_snappy(ROW)[:-1] + b"!"),
        ("snappy", framed_snappy(ROW) + b"\x02\0\0\0"),
        ("snappy", IDENTIFIER[:4] + b"SNAPPY"),
    ],
)
def test_what_is_not_packed_so_is_cut_short_or_is_damaged_is_a_letter(compression: str, data: bytes) -> None:
    assert rejected({"type": "json", "compression": compression}, data).reason is RejectReason.NOT_PACKED


WIDE = zstandard.ZstdCompressionParameters(window_log=(4 * WINDOW_BYTES).bit_length() - 1, write_content_size=False)
BOMBS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "zlib": ("zlib", zlib.compress),
    "deflate": ("deflate", deflated),
    "zstd": ("zstd", zstandard.compress),
    "a zstd that does not say how much it is": (
        "zstd",
        lambda blank: zstandard.ZstdCompressor(write_content_size=False).compress(blank),
    ),
    "a zstd that wants more memory to look back": (
        "zstd",
        lambda blank: zstandard.ZstdCompressor(compression_params=WIDE).compress(blank),
    ),
    "many gzips": ("gzip", lambda blank: gzip.compress(blank[: EXPANDED_BYTES // 4]) * 5),
    "snappy": ("snappy", raw_snappy),
    "a snappy stream": ("snappy", framed_snappy),
    "a snappy that says four gigabytes": ("snappy", lambda _: b"\xff\xff\xff\xff\x0f" + raw_snappy(ROW)[1:]),
    "a snappy stream that says four gigabytes": (
        "snappy",
        lambda _: IDENTIFIER + b"\0\x0a\0\0" + bytes(4) + b"\xff\xff\xff\xff\x0f\0",
    ),
    "many zstds": ("zstd", lambda blank: zstandard.compress(blank[: EXPANDED_BYTES // 4]) * 5),
}
"""How each is packed of four times what a record may be; in the test alone, not whenever the file is imported."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_a_letter(name: str) -> None:
    compression, pack = BOMBS[name]
    reason = rejected({"type": "json", "compression": compression}, pack(b" " * (4 * EXPANDED_BYTES))).reason
    assert reason in (RejectReason.TOO_LARGE, RejectReason.NOT_PACKED)


@pytest.mark.parametrize("compression", PACKED)
def test_a_record_without_bytes_is_empty_and_not_badly_packed(compression: str) -> None:
    empty = PACK[compression](b"")
    for data in (b"", empty):
        assert rejected({"type": "json", "compression": compression}, data).reason is RejectReason.EMPTY


def test_an_object_that_is_too_large_for_a_row_is_not_looked_into() -> None:
    many_keys = b"{%b}" % b",".join(b'"%d":1' % number for number in range(20_000))
    format_ = {"type": "json", "compression": "gzip"}
    assert rejected(format_, gzip.compress(many_keys), max_row_bytes=1024).reason is RejectReason.TOO_LARGE
    blanks = b'{"n":' + b" " * 5000 + b"1}"
    assert values(convert(format_, gzip.compress(blanks), max_row_bytes=1024)) == [{"n": 1}]


class Counted(bytes):
    """Counts the bytes that are taken out of it."""

    taken = 0

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        self.taken += len(found) if isinstance(found, bytes) else 1
        return found


@pytest.mark.parametrize("kind", [b"\n", b"\r", b"\xfe"])
def test_chunks_of_nothing_cost_no_more_than_their_own_bytes(kind: bytes) -> None:
    data = Counted(IDENTIFIER + (kind + b"\0\0\0") * 2000 + b"\xfe\1\0\0x")
    _, size = _stream(data)
    assert size == 0
    assert data.taken < 10 * len(data)
