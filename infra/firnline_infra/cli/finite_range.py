"""A number of an option, within bounds."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """click's own range takes `nan`, which no comparison refuses."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number that can be counted with.", param, ctx)
        return number
