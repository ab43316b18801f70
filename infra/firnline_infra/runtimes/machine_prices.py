"""Prices that a runtime charges an engine's machines by: names in blueprint/prices.json, of the vendor's own units."""

from collections.abc import Callable
from dataclasses import dataclass

from firnline_infra.specification.runtimes.options import Architecture

MIB_PER_GB = 1024


@dataclass(frozen=True, kw_only=True)
class MachinePrices:
    """Names end with `_{architecture}` where the price depends on it."""

    core_hour: tuple[str, ...]
    gb_hour: tuple[str, ...] = ()
    is_by_worker: bool = False
    """True if memory is charged as workers come: each in the next size that its runtime has."""
    share: str = ""
    """The name of a price that is a share of all others, and comes on top of them."""

    def usd_an_hour(
        self, cores: int, memory_mib: int, architecture: Architecture, price: Callable[[str], float]
    ) -> float:
        def together(names: tuple[str, ...]) -> float:
            return sum(price(name.format(architecture=architecture.value)) for name in names)

        usd = cores * together(self.core_hour) + memory_mib / MIB_PER_GB * together(self.gb_hour)
        return usd * (1 + price(self.share)) if self.share else usd
