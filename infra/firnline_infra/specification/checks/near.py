"""The end of a sentence about a name that is not among the valid ones."""

import difflib
from collections.abc import Iterable


def near(name: str, valid: Iterable[str]) -> str:
    """The nearest valid name, or all of them."""
    names = sorted(set(valid))
    if not names:
        return "there is none."
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"expected one of: {', '.join(names)}."
