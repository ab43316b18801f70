import pytest

from tests.infra.specifications import problems, told

TWO = [{"name": "orders"}, {"name": "orders-letters"}]


@pytest.mark.parametrize("trust", ["emr-serverless", "emr-ec2", "pod-identity"])
def test_a_folder_is_refused_where_workers_are_several_or_come_and_go(trust: str) -> None:
    pods = {"cluster": "platform", "namespace": "streaming", "service_account": "engine"}
    runtime = {"trust": trust, **(pods if trust == "pod-identity" else {})}
    found = problems(aws={"runtime": runtime}, dead_letters={"folder": "/letters"})
    assert found == told(f"dead_letters.folder: belongs to one machine…{trust}…")


@pytest.mark.parametrize("trust", ["nobody", "static-keys"])
def test_a_folder_may_be_where_the_engine_may_run_on_one_machine(trust: str) -> None:
    assert problems(aws={"runtime": {"trust": trust}}, dead_letters={"folder": "/letters"}) == []


def test_a_stream_for_letters_is_one_of_the_streams_and_no_pipeline_reads_it() -> None:
    assert problems(streams=TWO, dead_letters={"stream": "orders-letters"}) == []
    assert problems(streams=TWO, dead_letters={"stream": "orders-leters"}) == [
        "dead_letters.stream: 'orders-leters' is not among the streams; did you mean 'orders-letters'?"
    ]
    assert problems(dead_letters={"stream": "orders"}) == told("…pipelines[0] reads it…")


def test_there_is_one_place() -> None:
    found = problems(streams=TWO, dead_letters={"stream": "orders-letters", "folder": "/letters"})
    assert found == ["dead_letters: give folder or stream, not both"]
