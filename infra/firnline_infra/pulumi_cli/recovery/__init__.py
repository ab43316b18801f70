"""What a killed `pulumi up` leaves behind, put in order before the next one.

It leaves a lock, and the operations that it had begun. The engine repeats an update and a delete by itself; a create it
would repeat too, and fail, because what it was making may exist. So each pending create is looked for: what is ours is
imported, what is somebody else's is refused, what is not there is made by the next `up`.
"""

from firnline_infra.pulumi_cli.recovery.import_ids import Lookup
from firnline_infra.pulumi_cli.recovery.up import recovered_up

__all__ = ["Lookup", "recovered_up"]
