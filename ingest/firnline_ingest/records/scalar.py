"""A value of a record as Python has it, where a transform has to know it. Numbers are Decimals: no digit is lost."""

from decimal import Decimal


class Container:
    """An object or an array: no scalar, and equal to none."""


class Beyond:
    """A number with an exponent beyond all that Python counts with."""


CONTAINER, BEYOND = Container(), Beyond()
Scalar = str | Decimal | bool | None | Container | Beyond
