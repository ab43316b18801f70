"""Isolation of the objects that a query raises an error on, by runs over parts of a page."""

from collections.abc import Callable, Collection, Sequence

import pytest

from firnline_ingest.spark.errors import QueryRoundFailed
from firnline_ingest.spark.query_isolation import (
    CLEAN_PAGES,
    ISOLATE_S,
    MOST_PAGES,
    Document,
    Isolation,
    PageVerdict,
    raised_words,
)


class Query:
    """Doubles numbers, and raises on some; counts its runs."""

    def __init__(self, bad: Collection[int], now: Callable[[], None] = lambda: None) -> None:
        self.bad, self.runs, self._now = set(bad), 0, now

    def __call__(self, documents: Sequence[Document]) -> list[tuple[int, str]]:
        self.runs += 1
        self._now()
        if any(int(text) in self.bad for _, text in documents):
            raise QueryRoundFailed("orders", "[DIVIDE_BY_ZERO] Division by zero.")
        return [(position, str(2 * int(text))) for position, text in documents if int(text) % 3]


def decided(isolation: Isolation, documents: Sequence[Document]) -> PageVerdict:
    return isolation.pages([documents])[0]


def page(*numbers: int) -> list[Document]:
    return [(100 + place, str(number)) for place, number in enumerate(numbers)]


@pytest.mark.parametrize("bad", [[0], [7], [999], [0, 1, 2], [3, 500, 998], []])
def test_exactly_those_that_raise_are_found_and_every_other_ones_rows_are_kept(bad: list[int]) -> None:
    query = Query(bad)
    found = decided(Isolation(query), page(*range(1000)))
    assert found.raised == {100 + n: "[DIVIDE_BY_ZERO] Division by zero." for n in bad}
    assert found.rows == [(100 + n, str(2 * n)) for n in range(1000) if n % 3 and n not in bad]
    assert found.through == 1099
    assert query.runs <= 1 + 24 * len(bad)


def test_what_fails_with_every_object_is_not_the_objects_doing() -> None:
    isolation = Isolation(query := Query(range(1000)))
    with pytest.raises(QueryRoundFailed):
        decided(isolation, page(*range(1000)))
    assert query.runs < 40, "it does not go through all of them"


def test_a_page_of_nothing_but_bad_ones_is_believed_when_one_that_was_good_still_is() -> None:
    isolation = Isolation(query := Query([1, 2, 4, 5]))
    with pytest.raises(QueryRoundFailed):
        decided(isolation, page(1, 2, 4, 5))
    decided(isolation, page(7))
    assert list(decided(isolation, page(1, 2, 4, 5)).raised) == [100, 101, 102, 103]
    query.bad = set(range(10))  # a service that is away
    with pytest.raises(QueryRoundFailed):
        decided(isolation, page(1, 2, 4, 5))


@pytest.mark.parametrize("good_runs", range(1, 20))
def test_nothing_is_passed_over_when_a_service_goes_away_in_the_middle_of_a_page(good_runs: int) -> None:
    """Objects that had succeeded before it went say nothing of those that fail since."""

    def goes_away() -> None:
        if query.runs > good_runs:
            query.bad = set(range(1000))

    isolation = Isolation(query := Query([3, 31], goes_away))
    with pytest.raises(QueryRoundFailed):
        decided(isolation, page(*range(32)))
    isolation.run = Query([3, 31])
    assert list(decided(isolation, page(*range(32))).raised) == [103, 131]


def test_a_stream_of_one_record_a_page_loses_none_to_a_service_that_is_away() -> None:
    isolation = Isolation(query := Query([2]))
    assert list(decided(isolation, page(1)).raised) == []
    assert list(decided(isolation, page(2)).raised) == [100]
    query.bad = set(range(10))
    for number in range(5):
        with pytest.raises(QueryRoundFailed):
            decided(isolation, page(number))


def test_a_job_that_was_cancelled_is_no_verdict_and_ends_the_search() -> None:
    def hangs(_: Sequence[Document]) -> list[tuple[int, str]]:
        raise QueryRoundFailed("orders", "[SPARK_JOB_CANCELLED] Job 7 cancelled as part of cancellation of all jobs.")

    with pytest.raises(QueryRoundFailed):
        decided(Isolation(hangs), page(1))


def test_one_or_two_are_believed_by_themselves() -> None:
    assert list(decided(Isolation(Query([1])), page(1)).raised) == [100]


def test_what_is_known_when_the_time_is_over_is_handed_out_and_it_is_one_object_at_least() -> None:
    now = [0.0]

    def passes() -> None:
        now[0] += ISOLATE_S

    isolation = Isolation(Query([0, 2], passes), clock=lambda: now[0])
    first = decided(isolation, page(0, 1, 2, 3))
    assert (first.through, list(first.raised), first.rows) == (100, [100], [])


def test_a_round_that_takes_long_begins_with_another_page_each_time() -> None:
    now = [0.0]

    def passes() -> None:
        now[0] += ISOLATE_S

    isolation = Isolation(Query([], passes), clock=lambda: now[0])
    gathered = [page(1), [], page(2), page(3)]
    found = [list(isolation.pages(gathered)) for _ in range(4)]
    assert all(len(each) == 1 for each in found)
    assert {place for (place,) in found} == {0, 2, 3}


def test_the_driver_holds_a_few_pages_at_a_time_and_comes_to_every_group() -> None:
    isolation = Isolation(Query([]))
    seen: list[int] = []
    for _ in range(3):
        chosen = isolation.places(20)
        found = isolation.pages([page(2) if place in chosen else [] for place in range(20)])
        assert len(found) == MOST_PAGES
        seen += found
    assert set(seen) == set(range(20))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent "
            "failure: Lost task 0.0 in stage 3.0 (TID 3) (10.0.0.7 executor driver): org.apache.spark.SparkArithmeticException: "
            "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012\n== SQL (line 1, position 25) ==\n1 / n\n\n\tat java.lang.Thread",
            "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012",
        ),
        (
            "org.apache.spark.SparkException: Job aborted: (TID 3) (10.0.0.7 executor driver): org.apache.spark.api.python."
            'PythonException: Traceback (most recent call last):\n  File "/x/worker.py", line 3, in main\n    process()\n'
            "ValueError: no [FIVE_OF_THEM] here\n\n\tat org.apache.spark.api.python.BasePythonRunner",
            "ValueError: no [FIVE_OF_THEM] here",
        ),
        ("something else", ""),
    ],
)
def test_the_words_of_a_record_are_the_same_whenever_it_is_read(said: str, words: str) -> None:
    assert raised_words(said) == words


def test_whole_rounds_come_back_after_enough_pages_without_an_error() -> None:
    isolation = Isolation(Query([1]))
    isolation.begin()
    for _ in range(CLEAN_PAGES - 1):
        decided(isolation, page(2))
    decided(isolation, page(1))
    for _ in range(CLEAN_PAGES):
        assert isolation.is_at_work
        decided(isolation, page(2))
    assert not isolation.is_at_work
