"""Sessions live as long as their tokens."""

import pytest

from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, Role, User, kinds
from firnline_local.snowflake.sql.sessions import (
    LONGEST_REMEMBERED,
    MASTER_TOKEN_LIFETIME,
    REMEMBERED_ANSWERS,
    TOKEN_LIFETIME,
    Session,
    Sessions,
)


@pytest.fixture
def sessions(catalog: Catalog) -> Sessions:
    return Sessions(catalog)


def opened(catalog: Catalog, sessions: Sessions) -> Session:
    user = catalog.directory.find(kinds.USER, ("FIRNLINE_ADMIN",))
    role = catalog.directory.find(kinds.ROLE, ("PUBLIC",))
    assert isinstance(user, User)
    assert isinstance(role, Role)
    return sessions.open(user, role)


def code(sessions: Sessions, token: str, *, renew: bool = False) -> str:
    with pytest.raises(AuthenticationFailed) as caught:
        sessions.renew(token) if renew else sessions.get(token)
    return caught.value.code


def test_a_session_is_found_by_its_token_until_it_is_closed(catalog: Catalog, sessions: Sessions) -> None:
    first, second = opened(catalog, sessions), opened(catalog, sessions)
    assert (first.id, second.id) == (1, 2)
    assert sessions.get(first.token) is first

    sessions.close(first.token)
    sessions.close(first.token)
    assert code(sessions, first.token) == "390111"
    assert code(sessions, first.master_token, renew=True) == "390114"
    assert sessions.get(second.token) is second


def test_an_expired_token_is_renewed_with_the_master_token(catalog: Catalog, sessions: Sessions, clock) -> None:
    session = opened(catalog, sessions)
    old = session.token
    clock.advance(seconds=TOKEN_LIFETIME.total_seconds())
    assert code(sessions, old) == "390112"

    assert sessions.renew(session.master_token) is session
    assert sessions.get(session.token) is session
    assert code(sessions, old) == "390111"


def test_an_expired_master_token_ends_the_session(catalog: Catalog, sessions: Sessions, clock) -> None:
    session = opened(catalog, sessions)
    clock.advance(seconds=MASTER_TOKEN_LIFETIME.total_seconds())

    assert code(sessions, session.master_token, renew=True) == "390114"
    opened(catalog, sessions)  # forgets what has expired
    assert code(sessions, session.token) == "390111"


def test_a_session_remembers_its_last_answers_and_no_large_ones(catalog: Catalog, sessions: Sessions) -> None:
    session = opened(catalog, sessions)
    for number in range(REMEMBERED_ANSWERS + 1):
        session.remember(str(number), b"answer")
    session.remember("large", b"x" * (LONGEST_REMEMBERED + 1))

    assert list(session.answers) == [str(number) for number in range(1, REMEMBERED_ANSWERS + 1)]
