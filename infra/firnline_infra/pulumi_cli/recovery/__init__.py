"""Cleans up what a killed `pulumi up` leaves behind, before the next one.

It leaves a lock, and the operations that it had begun. The engine repeats updates and deletes by itself; it would repeat
creates too, and fail where the object exists already. So the object of each pending create is looked for: one that the
stack was making is imported, a foreign one is refused, and one that does not exist is made by the next `up`.
"""

from firnline_infra.pulumi_cli.recovery.existing import import_existing
from firnline_infra.pulumi_cli.recovery.lookups import Lookup
from firnline_infra.pulumi_cli.recovery.up import recovered_up

__all__ = ["Lookup", "import_existing", "recovered_up"]
