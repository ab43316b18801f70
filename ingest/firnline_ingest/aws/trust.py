"""Next steps about what stands between the engine and a service: a certificate that is not trusted, a proxy with a login."""

WORDS = "certificate verify failed"
"""OpenSSL's, in whatever wraps them."""
LOGIN_WANTED = "407 Proxy Authentication Required"
"""A proxy's, in whatever wraps them."""


def untrusted(cause: str) -> str:
    """The next step; empty where the cause is another one."""
    if LOGIN_WANTED.lower() in cause.lower():
        return (
            "the proxy wants a name and a password that it knows: put them where proxy.login says (docs/proxy.md), and start the "
            "engine again, because a process reads them once."
        )
    if WORDS not in cause.lower():
        return ""
    return (
        "a proxy or a private endpoint has an authority of its own: name its PEM file in aws.ca_file, on the driver and on every "
        "executor; nothing makes the engine trust every certificate."
    )


def said(error: Exception) -> str:
    """The error's words; of a proxy that is not passed, with the proxy's own, which botocore leaves out."""
    inner = getattr(error, "kwargs", {}).get("error") if type(error).__name__ == "ProxyConnectionError" else None
    return str(error) if inner is None else f"{error}: {getattr(inner, 'original_error', inner)}"
