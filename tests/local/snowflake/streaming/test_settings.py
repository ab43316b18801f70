"""StreamingSettings that change while the service runs."""

import pytest

from firnline_local.snowflake.streaming.settings import StreamingSettings


def test_any_of_them_can_change_and_the_others_stay() -> None:
    settings = StreamingSettings()
    settings.change(b'{"commit_lag_ms": 5, "hold_commits": true}')

    assert settings == StreamingSettings(commit_lag_ms=5, hold_commits=True)


@pytest.mark.parametrize(
    "text",
    [
        b'{"commit_lag": 5}',
        b'{"commit_lag_ms": "5"}',
        b'{"hold_commits": 1}',
        b"[]",
        b"{",
        b'{"commit_lag_ms": true}',
        b'{"commit_lag_ms": -1}',
    ],
)
def test_what_is_not_a_setting_is_refused_and_changes_nothing(text: bytes) -> None:
    settings = StreamingSettings()

    with pytest.raises(ValueError, match=r"setting|Expected|truncated"):
        settings.change(text)
    assert settings == StreamingSettings()


def test_the_refusal_names_what_there_is() -> None:
    with pytest.raises(ValueError, match="commit_lag_ms, hold_commits"):
        StreamingSettings().change(b'{"lag": 1, "commit_lag_ms": 3}')
