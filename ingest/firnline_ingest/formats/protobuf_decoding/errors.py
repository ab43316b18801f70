"""Errors of a schema that is not decoded. Its records are dead letters that say so."""


class ProtoRefused(Exception):
    """Says why."""
