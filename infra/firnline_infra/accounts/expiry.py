"""Credentials that end in the middle: how services, SDKs and the tools that use them say it, and what to do."""

EXPIRED = {
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "RequestExpired",
    "TokenRefreshRequired",
    "UnrecognizedClientException",
}
"""The codes with which services and S3 refuse credentials that are over (common errors of AWS; S3's error list)."""
WORDS = (
    "security token included in the request is expired",
    "SSO session has expired",
    "failed to refresh cached credentials",
)
"""Of STS, and of AWS's SDK for Go 2 in the providers of Pulumi and Terraform."""
NEW_CREDENTIALS = (
    "get new credentials (log in again, or run CI's job again), and run the same command again. Nothing is to be "
    "granted."
)


def says_expired(text: str) -> bool:
    """True for the output of a tool whose caller's credentials were over."""
    return any(word in text for word in (*EXPIRED, *WORDS))
