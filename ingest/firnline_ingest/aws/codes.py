"""Error codes by which AWS services refuse, whichever service it is, and what botocore raises before it asks them."""

from botocore.exceptions import NoCredentialsError, PartialCredentialsError, ProfileNotFound, SSOError

NO_ANSWER = (AttributeError, KeyError, TypeError, ValueError)
"""What reading raises where something between us and a service made up an answer with a good status, or cut it short."""
THROTTLED = {
    "KMSThrottlingException",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
}
DENIED = {"AccessDeniedException"}
"""A right is missing. That AWS does not know who asks is another thing: no right would help (UNKNOWN_CALLER)."""
MALFORMED = {
    "InvalidAction",
    "InvalidParameter",
    "InvalidParameterCombination",
    "InvalidParameterException",
    "InvalidParameterValue",
    "InvalidParameterValueException",
    "MalformedXML",
    "MissingAction",
    "MissingParameter",
    "SerializationException",
    "UnknownOperationException",
    "ValidationError",
    "ValidationException",
}
"""The request is not one that the service has: asked again, it is refused again (AWS's "Common Errors"; botocore's models)."""
UNKNOWN_CALLER = {
    "IncompleteSignature",
    "InvalidAccessKeyId",
    "InvalidToken",
    "UnrecognizedClientException",
}
"""AWS does not know the credentials at all."""
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
