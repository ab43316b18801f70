"""How a transform says that there is no row of this record. Nothing of it is an engine's failure: records are judged."""


class Filtered(Exception):
    """The record is rightly no row: a transform leaves it out."""


class Untransformable(Exception):
    """A transform can't be applied to this record. The text says why, without a value of the record."""


class DuplicateKeys(Untransformable):
    """An object that would have to be opened has a key twice, and one of the values would be lost."""
