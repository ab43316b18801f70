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
    "ExpiredTokenException",
    "IncompleteSignature",
    "InvalidSignatureException",
    "UnrecognizedClientException",
}
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
