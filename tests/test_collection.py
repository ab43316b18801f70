"""Every worker collects the same tests, whenever it imports a file: otherwise xdist runs none of them."""

import gzip

from tests.conftest import pytest_make_parametrize_id


def test_what_was_packed_at_another_time_has_the_same_name() -> None:
    names = {pytest_make_parametrize_id(gzip.compress(b"{}", mtime=second), "data") for second in (1, 2)}
    assert names == {"data"}


def test_what_can_be_read_is_its_own_name() -> None:
    assert pytest_make_parametrize_id(b'{"n":1}', "data") is None
    assert pytest_make_parametrize_id("\x1f", "text") is None
