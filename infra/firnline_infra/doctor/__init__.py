"""`firnline doctor`: what would keep an environment from being made, or from running, each finding with its next step.

`suite` runs all checks; each other file is one thing that can be wrong. Nothing is changed.
"""

from firnline_infra.doctor.suite import examine

__all__ = ["examine"]
