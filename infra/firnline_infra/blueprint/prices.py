"""The prices that estimates and the dashboard use, each with its date, its source and how far it can be trusted; prices.json
has them all."""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path


class Standing(StrEnum):
    PRIMARY = "primary"
    """Read on the vendor's own page."""
    SECONDARY = "secondary"
    """Quoted by others from the vendor's page."""
    UNCONFIRMED = "unconfirmed"
    """From memory: look it up before you decide by it."""


@dataclass(frozen=True, kw_only=True)
class Price:
    """A price in us-east-1, in US dollars if `what` says nothing else."""

    price: float
    what: str
    date: str
    source: str
    standing: Standing


@cache
def prices() -> dict[str, Price]:
    document = json.loads(Path(__file__).with_name("prices.json").read_text(encoding="utf-8"))
    return {name: Price(**{**fields, "standing": Standing(fields["standing"])}) for name, fields in document.items()}
