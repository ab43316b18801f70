"""The key that a process signs with: the one that was read last, looked for again from time to time.

Reading may take as long as Secrets Manager takes. Who needs a key waits for one reading, together with others who need
it then; who doesn't need one never waits.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake.background import in_background, settle
from firnline_ingest.snowflake.key import SigningKey, load_key

LOOK_EVERY_S = 60.0  # a secret that is read each minute costs a few cents a month and process

log = logging.getLogger(__name__)


class CurrentKey:
    """Thread-safe. `replaced` is called after another key than before was read."""

    def __init__(
        self, config: EngineConfig, replaced: Callable[[], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._config = config
        self._replaced = replaced
        self._clock = clock
        self._lock = threading.Lock()
        self._key: SigningKey | None = None
        self._reading: Future[SigningKey] | None = None
        self._read_at_s = clock()

    @property
    def fingerprint(self) -> str:
        return self._key.fingerprint if self._key else ""

    def read(self) -> SigningKey:
        """The key as it is now. Where its place can't be read, the one from before; raises what load_key raises where
        there is none.
        """
        with self._lock:
            reading, is_mine = self._reading or Future[SigningKey](), self._reading is None
            self._reading = reading
        if is_mine:
            settle(reading, self._read)
        return reading.result()

    def look(self) -> None:
        """Reads in the background, once in LOOK_EVERY_S at most, and only where there is a key to be replaced."""
        with self._lock:
            is_due = self._key is not None and self._clock() - self._read_at_s >= LOOK_EVERY_S
            if is_due:
                self._read_at_s = self._clock()
        if is_due:
            in_background(self.read, name="look-for-key")

    def _read(self) -> SigningKey:
        try:
            key = self._loaded()
        finally:
            with self._lock:
                self._reading, self._read_at_s = None, self._clock()
        before, self._key = self._key, key
        if before is not None and before.fingerprint != key.fingerprint:
            log.info("key.replaced", extra={"before": before.fingerprint, "now": key.fingerprint})
            self._replaced()
        return key

    def _loaded(self) -> SigningKey:
        try:
            return load_key(self._config)
        except SnowflakeError as error:
            if self._key is None:
                raise
            log.warning("key.read_failed", extra={"problem": error.id, "cause": error.what})
            return self._key
