"""Next steps about a certificate that is not trusted, whichever service presents it."""

WORDS = "certificate verify failed"
"""OpenSSL's, in whatever wraps them."""


def untrusted(cause: str) -> str:
    """The next step; empty where the cause is another one."""
    if WORDS not in cause.lower():
        return ""
    return (
        "a proxy or a private endpoint has an authority of its own: name its PEM file in aws.ca_file, on the driver and on every "
        "executor; nothing makes the engine trust every certificate."
    )
