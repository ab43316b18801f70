"""Only what a run of ours has made looks like it: in an account, everything else is somebody's."""

import pytest

from tests.live.names import Run

RUN = Run(0x6B02FB6E)


def test_a_thing_of_a_run_names_it() -> None:
    names = (RUN.aws, f"{RUN.aws}-engine", f"alias/{RUN.aws}", f"{RUN.aws}/snowflake/reader")
    assert {Run.of(name) for name in names} == {RUN}
    assert {Run.of(name) for name in (RUN.snowflake, RUN.warehouse, f"{RUN.snowflake}_READER")} == {RUN}


@pytest.mark.parametrize(
    "name",
    [
        "firnline-live",
        "firnline-live-engine",
        "firnline-live-6b02fb6",
        "firnline-live-6b02fb6e1",
        "my-firnline-live-6b02fb6e",
        "FIRNLINE_LIVE_INGEST",
        "FIRNLINE_LIVE_6B02FB6EX",
        "FIRNLINE_DEV_INGEST",
    ],
)
def test_what_others_have_made_names_no_run(name: str) -> None:
    assert Run.of(name) is None
