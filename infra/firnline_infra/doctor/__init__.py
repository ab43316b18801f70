"""`firnline doctor`: what would keep an environment from being made, or from running, each finding with its next step.

`examine` asks everything; each other file is one thing that can be wrong. Nothing is changed.
"""

from firnline_infra.doctor.examine import examine
from firnline_infra.doctor.findings import Examination

__all__ = ["Examination", "examine"]
