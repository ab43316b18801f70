from collections.abc import Callable
from typing import Any

import pytest

from tests.infra.specification.checks.conftest import Problems

Part = Callable[..., dict[str, Any]]
TWO = [{"name": "orders"}, {"name": "orders-letters"}]


@pytest.mark.parametrize("trust", ["emr-serverless", "emr-ec2", "pod-identity"])
def test_a_folder_is_refused_where_workers_are_several_or_come_and_go(
    problems: Problems, aws: Part, trust: str
) -> None:
    pods = {"cluster": "platform", "namespace": "streaming", "service_account": "engine"}
    runtime = {"trust": trust, **(pods if trust == "pod-identity" else {})}
    (problem,) = problems(aws=aws(runtime=runtime), dead_letters={"folder": "/letters"})
    assert problem.startswith("dead_letters.folder: belongs to one machine")
    assert trust in problem


@pytest.mark.parametrize("trust", ["nobody", "static-keys"])
def test_a_folder_may_be_where_the_engine_may_run_on_one_machine(problems: Problems, aws: Part, trust: str) -> None:
    assert problems(aws=aws(runtime={"trust": trust}), dead_letters={"folder": "/letters"}) == []


def test_a_stream_for_letters_is_one_of_the_streams_and_no_pipeline_reads_it(problems: Problems) -> None:
    assert problems(streams=TWO, dead_letters={"stream": "orders-letters"}) == []
    (unknown,) = problems(streams=TWO, dead_letters={"stream": "orders-leters"})
    assert unknown == "dead_letters.stream: 'orders-leters' is not among the streams; did you mean 'orders-letters'?"
    (read,) = problems(dead_letters={"stream": "orders"})
    assert "pipelines[0] reads it" in read


def test_there_is_one_place(problems: Problems) -> None:
    (problem,) = problems(streams=TWO, dead_letters={"stream": "orders-letters", "folder": "/letters"})
    assert problem == "dead_letters: give folder or stream, not both"
