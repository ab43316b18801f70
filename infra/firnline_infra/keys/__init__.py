"""The key pairs of Snowflake users: made in memory, kept in Secrets Manager, replaced while in use.

The private half goes from memory to Secrets Manager and nowhere else: no file, no argument, no log, no state. The public
half goes into a reviewed file beside the specification, from which `up` registers it.
"""

from firnline_infra.keys.create import CreatedKey, create_key
from firnline_infra.keys.rotate import Rotation

__all__ = ["CreatedKey", "Rotation", "create_key"]
