"""Decoders of requests, by the class that a request is read into."""

import threading
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

_making = threading.Lock()
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}


def decoder_of(kind: type[Kind]) -> msgspec.json.Decoder[Kind]:
    """Returns the class's one decoder: msgspec 0.20 ends the process where two threads use a class for the first time at once."""
    with _making:
        if kind not in _decoders:
            _decoders[kind] = msgspec.json.Decoder(kind)
        return _decoders[kind]
