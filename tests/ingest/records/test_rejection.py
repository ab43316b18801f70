from pathlib import Path

import pytest

from firnline_ingest.records.rejection import RejectReason

DOCUMENT = Path(__file__).parents[3] / "docs" / "records.md"


@pytest.mark.parametrize("reason", RejectReason)
def test_every_reason_stands_in_the_table_of_fates(reason: RejectReason) -> None:
    assert f"dead letter `{reason}`" in DOCUMENT.read_text()
