"""Credentials that end in the middle, and a clock that is off: how services, SDKs and tools say it, and what to do."""

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
    "SSO session associated with this profile",
    "Token has expired and refresh failed",
    "failed to refresh cached credentials",
)
"""Of STS, of botocore, and of AWS's SDK for Go 2 in the providers of Pulumi and Terraform."""
NEW_CREDENTIALS = (
    "get new credentials (log in again, or run CI's job again), and run the same command again. Nothing is to be "
    "granted."
)
NOBODY = "Unable to locate credentials"
"""Of botocore where nobody is logged in."""
OFF = ("RequestTimeTooSkewed", "Signature expired", "Signature not yet current")
"""Of a request whose time is not the service's: STS and Kinesis with SignatureDoesNotMatch and InvalidSignatureException (IAM's
guide, "Troubleshoot Signature Version 4 signing"; aws/aws-cli#6676, aws/aws-sdk-js#2565), and S3."""
CLOCK = (
    "this machine's clock is off: let it keep time (chrony, systemd-timesyncd), and run the same command again. Nothing is to be "
    "granted."
)


def says_expired(text: str) -> bool:
    """True for the output of a tool whose caller's credentials were over."""
    return any(word in text for word in (*EXPIRED, *WORDS))


def step_of_whoever_asks(text: str) -> str | None:
    """Returns the next step where a service refused whoever asked, or when, whatever was asked; None of any other refusal."""
    if any(word in text for word in OFF):
        return CLOCK
    return NEW_CREDENTIALS if says_expired(text) or NOBODY in text else None
