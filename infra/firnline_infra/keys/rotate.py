"""`firnline keys rotate`: replaces a user's key while it is in use.

Each call does what can be done now, and says what it waits for. Nothing is remembered between two calls: the next step
follows from the file, the secret, Snowflake and the engine (steps.py).
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.keys.errors import KeysDisagree, PrivateHalfMissing
from firnline_infra.keys.file import slots_of
from firnline_infra.keys.in_use import keys_in_use
from firnline_infra.keys.pair import KeyPair, new_pair
from firnline_infra.keys.registered import registered_keys
from firnline_infra.keys.steps import Impossible, Step, World, next_step
from firnline_infra.keys.subject import Subject
from firnline_infra.keys.vault import CURRENT, PENDING, PREVIOUS, Found, Vault
from firnline_infra.specification.errors import KeysMissing
from firnline_infra.specification.keys_file import UserKeys

LOOK_EVERY_S = 2.0
WAITS_FOR_A_PERSON = {Step.REGISTER, Step.UNREGISTER}


@dataclass(frozen=True, kw_only=True)
class Done:
    """A step, and the key that it was about."""

    step: Step
    fingerprint: str
    in_use: frozenset[str] | None = None


@dataclass(frozen=True)
class _Seen:
    """Everything that a step needs to be done."""

    world: World
    keys: UserKeys
    found: Found
    pending: KeyPair | None


@dataclass(frozen=True, kw_only=True)
class Rotation:
    subject: Subject
    accounts: Accounts
    make_pair: Callable[[], KeyPair] = new_pair
    sleep: Callable[[float], None] = time.sleep

    def advance(self, *, wait_s: float = 0.0) -> Iterator[Done]:
        """Yields each step as it was done. The last one is what it now waits for, or FORGET: all is done.

        `wait_s` bounds how long it waits for the engine. Raises KeysMissing, KeysDisagree, PrivateHalfMissing,
        UserNotDescribed, and what the two accounts refuse.
        """
        vault = Vault(self.accounts.aws("secretsmanager"), self.subject.secret)
        check_aws(self.subject.spec, self.accounts)
        waited_s = 0.0
        while True:
            seen = self._look(vault)
            step = self._step(seen)
            if step is Step.TAKE_UP and waited_s < wait_s:
                self.sleep(LOOK_EVERY_S)
                waited_s += LOOK_EVERY_S
                continue
            yield self._do(step, seen, vault)
            if step in {*WAITS_FOR_A_PERSON, Step.TAKE_UP, Step.FORGET}:
                return

    def _look(self, vault: Vault) -> _Seen:
        subject = self.subject
        keys, found = subject.file.of(subject.user), vault.look()
        current = vault.pair(found, CURRENT) if found else None
        if not any(slots_of(keys)):
            raise KeysMissing.of(subject.environment, {subject.user: str(subject.principal.user)})
        if found is None or current is None:
            raise PrivateHalfMissing(subject.file.path, subject.user, secret=vault.definition.name)
        pending, previous = vault.pair(found, PENDING), vault.pair(found, PREVIOUS)
        world = World(
            slots=slots_of(keys),
            current=current.fingerprint,
            pending=pending.fingerprint if pending else None,
            previous=previous.fingerprint if previous else None,
            registered=registered_keys(subject, self.accounts),
            in_use=None,
        )
        if world.new is None and len(world.recorded) == 2:  # only then it decides anything
            world = replace(world, in_use=keys_in_use(subject, self.accounts, current))
        return _Seen(world, keys, found, pending)

    def _step(self, seen: _Seen) -> Step:
        try:
            return next_step(seen.world)
        except Impossible as error:
            raise KeysDisagree(self.subject.file.path, self.subject.user, str(error)) from None

    def _do(self, step: Step, seen: _Seen, vault: Vault) -> Done:
        world, keys, user = seen.world, seen.keys, self.subject.user
        about = world.new or world.current
        if step is Step.STAGE:
            pair = self.make_pair()
            vault.stage(seen.found, pair)
            about = pair.fingerprint
        elif step is Step.RECORD and seen.pending is not None:
            self.subject.file.put(user, _filled(keys, seen.pending.public_key))
        elif step is Step.PROMOTE:
            vault.promote(seen.found)
        elif step is Step.RETIRE:
            self.subject.file.put(user, _only(keys, world.current))
        elif step is Step.FORGET:
            vault.forget_previous(seen.found)
        return Done(step=step, fingerprint=about, in_use=world.in_use)


def _filled(keys: UserKeys, public_key: str) -> UserKeys:
    """With the key in the free slot."""
    return keys.model_copy(update={"slot_1" if keys.slot_1 is None else "slot_2": public_key})


def _only(keys: UserKeys, fingerprint: str) -> UserKeys:
    """With nothing but that key, in the slot that it is in."""
    first, _ = slots_of(keys)
    return keys.model_copy(update={"slot_2" if first == fingerprint else "slot_1": None})
