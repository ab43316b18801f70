"""`firnline drift`: what differs between a specification and what is there, one finding for each object and property.

`suite` runs all checks; each other file is one kind of source. Nothing here writes anything.
"""

from firnline_infra.drift.suite import find_drift

__all__ = ["find_drift"]
