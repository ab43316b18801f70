"""How AWS services say no, whichever service it is: their error codes, and what botocore raises before it asks them."""

from botocore.exceptions import NoCredentialsError, PartialCredentialsError, ProfileNotFound, SSOError

THROTTLED = {
    "KMSThrottlingException",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
}
DENIED = {
    "AccessDeniedException",
    "IncompleteSignature",
    "UnrecognizedClientException",
}
STALE = {
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidSignatureException",
    "RequestExpired",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
}
"""The credentials were good once, or the clock is wrong: the next ones, or the next minute, may do (aws/credentials.py)."""
KMS = {
    "KMSAccessDeniedException",
    "KMSDisabledException",
    "KMSInvalidStateException",
    "KMSNotFoundException",
    "KMSOptInRequired",
}
"""The service may use no key for the caller."""
NO_CREDENTIALS = (NoCredentialsError, PartialCredentialsError, ProfileNotFound, SSOError)
"""What botocore raises before it asks AWS at all: waiting does not help."""
STALE_CREDENTIALS = (
    "nothing: the engine asks its chain of credentials again, and goes on with what that gives. If it lasts, put new ones "
    "where they come from (a profile's file is read again; variables of the environment are not: start the engine again), "
    "and check the machine's clock."
)
"""What to do about it, whichever service said so."""
