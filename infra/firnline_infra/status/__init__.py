"""Status of an environment's engine, and how far each shard is: one model, which `firnline status`, its JSON and its page show.

Asks the runtime, the deployments, the ledger and the dead letters; changes nothing.
"""

from firnline_infra.status.model import EnvironmentStatus
from firnline_infra.status.reader import StatusReader

__all__ = ["EnvironmentStatus", "StatusReader"]
