"""Sessions share what they begin with, and nothing of what becomes of them."""

from typing import Any

from botocore.handlers import BUILTIN_HANDLERS
from botocore.session import Session

from firnline_ingest.aws.session import new_session

EVENTS = [each[0] for each in BUILTIN_HANDLERS]


def handlers(session: Session) -> dict[str, list[Any]]:
    """The handlers of each event that botocore itself handles, in their order."""
    aliased: Any = session.get_component("event_emitter")
    emitter = aliased._emitter
    return {event: list(emitter._handlers.prefix_search(aliased._alias_event_name(event))) for event in EVENTS}


def test_a_session_has_botocores_own_handlers_in_their_order() -> None:
    assert handlers(new_session()) == handlers(Session())
    assert len(EVENTS) > 100


def test_a_handler_of_one_session_is_no_other_ones() -> None:
    one, other = new_session(), new_session()
    heard: list[str] = []
    one.register("asked", lambda **_: heard.append("one"))
    for each in (other, new_session(), one):
        each.get_component("event_emitter").emit("asked.once")
    assert heard == ["one"]
    assert handlers(other) == handlers(Session())


def test_what_a_library_adds_once_there_are_sessions_is_a_later_ones_too() -> None:
    """Tracers do so when they are loaded, and moto."""
    new_session()
    heard: list[str] = []
    BUILTIN_HANDLERS.append(("added", lambda **_: heard.append("heard")))
    try:
        new_session().get_component("event_emitter").emit("added.now")
    finally:
        BUILTIN_HANDLERS.pop()
    assert heard == ["heard"]
