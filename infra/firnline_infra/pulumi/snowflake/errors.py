"""What can go wrong while a program's objects are made, beyond what the providers say."""

from firnline_ingest.errors import Fatal, FirnlineError


class VolumeUnusable(FirnlineError, Fatal):
    """Snowflake could not use an external volume, again and again. Runbook: FL-7120."""

    id = "FL-7120"

    def __init__(self, resource: str, *, tries: int) -> None:
        super().__init__(
            f"{resource} failed {tries} times: Snowflake can't use the external volume.",
            next_step="the error of the resource has Snowflake's answer; each part of it that is FAILED names a right. Look "
            "for what denies it: the role's trust, a policy of the organisation, the key's policy, the bucket's. Then run "
            "the same command again.",
        )
