"""`firnline drift`: what differs between a specification and what is there, one finding for each object and property.

`look` asks everything; each other file is one kind of source, or one form of the report. Nothing here writes anything.
"""

from firnline_infra.drift.look import look_for_drift
from firnline_infra.drift.report import Report

__all__ = ["Report", "look_for_drift"]
