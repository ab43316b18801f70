"""Other connectors' errors: each has one place, leads to an error that is declared here, or says why there is none."""

import json
from collections import Counter

import pytest
from click.testing import CliRunner

from docs.tools.others_errors import PAGE, page
from firnline_infra.cli.main import firnline
from firnline_infra.error_catalog import declaring_modules
from firnline_infra.others_errors import KAFKA, OTHERS
from firnline_ingest.errors import UsageError

IDS = {
    *(
        f"ERROR_{number:04}"
        for first, last in ((1, 33), (1001, 1007), (2001, 2019))
        for number in range(first, last + 1)
    ),
    *(
        f"ERROR_{number}"
        for first, last in ((3001, 3005), (4001, 4001), (5001, 5031))
        for number in range(first, last + 1)
    ),
}
"""Those of snowflakedb/snowflake-kafka-connector; 3006 to 3008 are not used any more."""


def test_each_id_of_the_kafka_connector_has_one_place() -> None:
    found = Counter(id_ for each in OTHERS if each.connector == KAFKA for id_ in each.ids)
    assert found == Counter(IDS)


def test_each_leads_to_an_error_that_is_declared() -> None:
    assert {each.here for each in OTHERS if each.here} <= declaring_modules().keys()
    assert [each.ids for each in OTHERS if not each.said.endswith(".")] == []


def test_the_page_has_the_table_as_it_is() -> None:
    """`python -m docs.tools.others_errors` writes it anew."""
    assert page(PAGE.read_text(encoding="utf-8")) == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("id_", "said"),
    [
        (
            "error_0012",
            "FL-4101 RegistryUnreachable (transient)\n\nERROR_0012 of Snowflake's Kafka connector: The shards",
        ),
        ("ERROR_2003", "ERROR_2003 of Snowflake's Kafka connector has no counterpart. Of loading by files"),
        ("ProvisionedThroughputExceededException", "FL-2004 StreamThrottled"),
    ],
)
def test_another_connectors_id_is_explained(id_: str, said: str) -> None:
    result = CliRunner().invoke(firnline, ["explain", id_])
    assert " ".join(result.stdout.split()).startswith(" ".join(said.split()))


def test_an_id_without_counterpart_is_a_document_too() -> None:
    found = json.loads(CliRunner().invoke(firnline, ["explain", "ERROR_5031", "-o", "json"]).stdout)
    assert (found["id"], found["theirs"]["id"]) == (None, "ERROR_5031")


def test_an_id_that_no_connector_has_is_refused_with_the_nearest() -> None:
    from firnline_infra.cli.explain import explain

    refused = CliRunner().invoke(explain, ["ERROR_5039"]).exception
    assert isinstance(refused, UsageError)
    assert "did you mean 'ERROR_50" in str(refused)
