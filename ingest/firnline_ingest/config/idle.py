"""From when on a shard counts as idle: an engine's configuration and a specification have the same field."""

from typing import Annotated

from pydantic import Field

IDLE_AFTER_SECONDS = 300
"""Longer than producers pause between two batches, mostly; short enough to be news."""

IdleAfter = Annotated[int, Field(ge=10, le=7 * 86_400)]
