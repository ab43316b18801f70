"""How large a row may be."""

from typing import Annotated

from pydantic import Field

MAX_ROW_BYTES = 1_000_000
MaxRowBytes = Annotated[int, Field(ge=1024, le=16 * 1024 * 1024)]
"""Bytes of one row as sent, metadata included."""
