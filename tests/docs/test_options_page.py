"""Defaults of other connectors beside ours: ours are read out of the models, so that the page can't be older than they are."""

import pytest

from docs.tools.options import HERE, PAGE, REDSHIFT, THEIRS, ours, page
from firnline_ingest.config.other_names import RETRIES
from firnline_ingest.config.retries import RetriesConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.sink.options import SinkOptions
from tests.ingest.config.test_other_names import FLINKS_DEFAULTS


def test_the_page_is_what_the_models_say() -> None:
    assert page(PAGE.read_text()) == PAGE.read_text(), "python -m docs.tools.options"


def test_whatever_has_a_counterpart_has_its_default_and_nothing_else_has() -> None:
    wordless = {name for name, here in HERE.items() if here.startswith("nothing")}
    assert {name for name, here in HERE.items() if not ours(here)} == wordless
    assert all(ours(here) for _, here in REDSHIFT.values())
    assert THEIRS.keys() <= HERE.keys()


@pytest.mark.parametrize(
    ("here", "default"),
    [
        ("retries.get_records.base_ms", "twice polling.interval_ms"),
        ("retries.describe_stream.base_ms", f"{RetriesConfig().describe_stream.base_ms} ms"),
        ("polling.interval_ms", f"{PollingConfig().interval_ms} ms"),
        ("retries.list_shards.attempts", str(RetriesConfig().list_shards.attempts)),
        ("--batch-bytes of firnline put", str(SinkOptions().batch_bytes)),
        ("--linger of firnline put", f"{SinkOptions().linger_s:g} s"),
        ("pipelines[].format", "json"),
        ("pipelines[].alignment.max_ahead_seconds", "none"),
        ("aws.credentials.roles[].session_name", "firnline"),
        ("redshift.views[].refresh: auto for YES", "auto"),
        ("aws.region; of one stream, pipelines[].access.region", "required; none"),
        ("nothing: firnline put speaks HTTP/1.1", ""),
    ],
)
def test_a_default_is_read_where_the_path_leads(here: str, default: str) -> None:
    assert ours(here) == default


def test_flinks_attempts_and_pauses_are_those_that_are_taken_over() -> None:
    for operation, (attempts, base, most) in FLINKS_DEFAULTS.items():
        assert THEIRS[f"{operation}.maxretries"] == str(attempts)
        assert THEIRS[f"{operation}.backoff.base"] == f"{base} ms"
        assert THEIRS[f"{operation}.backoff.max"] == f"{most} ms"
    assert RETRIES.keys() <= THEIRS.keys()
