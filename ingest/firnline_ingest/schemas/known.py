"""Knowledge of one registry in a process: schemas, which never change, for good; what is not there, and a fault, for a while.

All shards of a process ask through one of these, and one at a time, so that a registry that is down is asked by one of them.
A caller whose answer is known does not wait for the question of another.
"""

import copy
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from uuid import UUID

from firnline_ingest.config.format import KEPT, RegisteredSchema, Schemas
from firnline_ingest.errors import SchemaRegistryError

MISSING_FOR_S = 30.0
FAULT_FOR_S = 1.0
MOST_MISSING = 10_000


class KnownSchemas:
    """A registry as `Schemas`, asked as seldom as can be. Thread-safe."""

    def __init__(self, ask: Schemas, clock: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._clock = ask, clock
        self._lock, self._asking = Lock(), Lock()
        self._found: OrderedDict[int | UUID, RegisteredSchema] = OrderedDict()
        self._missing: OrderedDict[int | UUID, float] = OrderedDict()
        self._fault: tuple[SchemaRegistryError, float] | None = None

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        is_known, schema = self._told(schema_id)
        if is_known:
            return schema
        with self._asking:
            is_known, schema = self._told(schema_id)  # by an answer that was on its way
            return schema if is_known else self._asked(schema_id)

    def _told(self, schema_id: int | UUID) -> tuple[bool, RegisteredSchema | None]:
        """Returns whether it is known what to say, and what. Raises the fault of a moment ago."""
        with self._lock:
            if schema_id in self._found:
                self._found.move_to_end(schema_id)
                return True, self._found[schema_id]
            if self._missing.get(schema_id, 0.0) > self._clock():
                return True, None
            if self._fault is not None and self._fault[1] > self._clock():
                raise copy.copy(self._fault[0])
            return False, None

    def _asked(self, schema_id: int | UUID) -> RegisteredSchema | None:
        try:
            found = self._ask(schema_id)
        except SchemaRegistryError as error:
            self._fault = error, self._clock() + FAULT_FOR_S
            raise
        with self._lock:
            self._missing.pop(schema_id, None)
            if found is None:
                self._missing[schema_id] = self._clock() + MISSING_FOR_S
                _shorten(self._missing, MOST_MISSING)
            else:
                self._found[schema_id] = found
                _shorten(self._found, KEPT)
        return found


def _shorten(kept: OrderedDict[int | UUID, RegisteredSchema] | OrderedDict[int | UUID, float], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
