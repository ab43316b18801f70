"""A configuration of another connector, taken over into a specification; docs/from-other-connectors.md.

What has no counterpart is listed with the reason, and what is secret is neither read out nor written down.
"""

from firnline_infra.specification.other_connectors.read import take_over
from firnline_infra.specification.other_connectors.taken_over import TakenOver

__all__ = ["TakenOver", "take_over"]
