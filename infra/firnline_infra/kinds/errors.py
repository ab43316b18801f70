"""Errors of objects whose providers Pulumi calls: here, so that who lists all errors does not load Pulumi (error_catalog.py)."""

from firnline_ingest.errors import Fatal, FirnlineError, declared


@declared
class VolumeUnusable(FirnlineError, Fatal):
    """Snowflake could not use an external volume, again and again."""

    resource: str
    tries: int

    id = "FL-7120"
    message = "{resource} failed {tries} times: Snowflake can't use the external volume."
    causes = "An external volume could not be used, also after a minute of trying"
    remedy = (
        "the error of the resource has Snowflake's answer; each part of it that is FAILED names a right. Look for "
        "what denies it: the role's trust, a policy of the organisation, the key's policy, the bucket's. Then run "
        "the same command again."
    )
