"""Tests of what firnline_local promises."""

import firnline_local
import firnline_local.kinesis


def test_every_promised_name_is_there_and_nothing_else_is_promised() -> None:
    assert firnline_local.__all__ == ["EmbeddedAccounts", "LocalEnvironment", "RunningEnvironment"]
    for name in firnline_local.__all__:
        assert getattr(firnline_local, name).__name__ == name
        assert name in dir(firnline_local)


def test_the_fake_kinesis_is_a_public_class_with_what_its_users_need() -> None:
    assert firnline_local.kinesis.__all__ == sorted(firnline_local.kinesis.__all__)
    for name in firnline_local.kinesis.__all__:
        assert hasattr(firnline_local.kinesis, name)
    assert {"FakeKinesis", "FakeKinesisError", "Fault", "KinesisServer", "ManualClock"} <= {
        *firnline_local.kinesis.__all__
    }
