"""A stream that ignores partition keys: its summary has it, and `firnline validate` says so."""

import pytest

from firnline_ingest.kinesis import client as clients
from firnline_ingest.kinesis.lineage import read_summary
from firnline_ingest.validate import UNORDERED, validate
from firnline_local.kinesis import FakeKinesis
from tests.fakes.configs import config
from tests.fakes.kinesis import client_of

pytestmark = pytest.mark.contract


@pytest.fixture
def kinesis(monkeypatch: pytest.MonkeyPatch) -> FakeKinesis:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "one")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "two")
    fake = FakeKinesis(read_limits=False)
    monkeypatch.setattr(clients, "kinesis_client", lambda *_, **__: client_of(fake))
    return fake


@pytest.mark.parametrize(("strategy", "is_said"), [("USER_PARTITION_KEY", False), ("AUTO", True)])
def test_validate_says_of_a_stream_that_it_ignores_partition_keys(
    kinesis: FakeKinesis, strategy: str, is_said: bool
) -> None:
    client = client_of(kinesis)
    arn = kinesis.create_stream("events").found.arn
    client.update_stream_mode(StreamARN=arn, StreamModeDetails={"StreamMode": "ON_DEMAND"})
    client.update_stream_record_distribution_strategy(StreamARN=arn, RecordDistributionStrategy=strategy)
    assert read_summary(client, "events").ignores_keys is is_said
    (line,) = [each.found for each in validate(config()).findings if each.name == "stream events"]
    assert (UNORDERED in line) is is_said


def test_a_provisioned_stream_goes_by_partition_keys(kinesis: FakeKinesis) -> None:
    client = client_of(kinesis)
    arn = kinesis.create_stream("events").found.arn
    with pytest.raises(client.exceptions.InvalidArgumentException):
        client.update_stream_record_distribution_strategy(StreamARN=arn, RecordDistributionStrategy="AUTO")
    assert not read_summary(client, "events").ignores_keys
