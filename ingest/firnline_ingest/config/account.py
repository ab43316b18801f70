"""The name of a Snowflake account, and the host that follows from it."""

from firnline_ingest.config.form import Form

DOMAIN = "snowflakecomputing.com"
DOMAIN_IN_CHINA = "snowflakecomputing.cn"
"""Of accounts in China's regions: gosnowflake and Snowflake's connectors choose it for a region that begins with cn-
(gosnowflake, dsn.go, getDomainBasedOnRegion, 2026-11-28)."""
ACCOUNT = Form(
    r"(?!.*\.snowflakecomputing\.)[A-Za-z0-9_.-]{1,255}",
    "ORGANISATION-ACCOUNT, without https:// and .snowflakecomputing.com",
    "ORG-ACCOUNT",
)
ACCOUNT_URL = Form(r"https://[^\s/]+/?", "https:// and a host", "https://org-account.snowflakecomputing.com")


def account_host(account: str, *, domain: str = DOMAIN, private: bool = False) -> str:
    """The host of an account, `private` over PrivateLink. A hyphen stands for an underscore of the name, because no
    certificate's wildcard matches an underscore (docs.snowflake.com, user-guide/admin-account-identifier, 2026-11-28).

    >>> account_host("ORG-MY_ACCOUNT")
    'org-my-account.snowflakecomputing.com'
    >>> account_host("xy12345.cn-northwest-1")
    'xy12345.cn-northwest-1.snowflakecomputing.cn'
    """
    name, region = account.lower().replace("_", "-"), account.lower().partition(".")[2]
    domain = DOMAIN_IN_CHINA if region.startswith("cn-") else domain
    return f"{name}{'.privatelink' if private else ''}.{domain}"
