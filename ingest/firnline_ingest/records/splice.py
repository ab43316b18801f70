"""Puts the metadata in front of a payload's own members, byte by byte: the payload is never rebuilt.

splice(head, payload) parses to the head's members followed by the payload's (a property test says so).
"""


def splice(head: bytes, payload: bytes) -> bytes:
    """`head` is an object without its closing brace, or empty; `payload` a JSON object, checked and on one line."""
    if not head:
        return payload
    if payload.startswith(b'{"'):
        return b"%b,%b" % (head, payload[1:])
    members = payload.lstrip()[1:].lstrip()
    return head + members if members.startswith(b"}") else b"%b,%b" % (head, members)
